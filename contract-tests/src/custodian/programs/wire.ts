/** Sequences on single connections. */
import { until } from '../../run/until.ts';
import type { Program } from '../programs.ts';
import { refused } from '../refusals.ts';
import type { Scene } from '../scene.ts';
import type { Exchange } from '../wire.ts';

/** Milliseconds in which what is owed at once has come. */
const soonMs = 3_000;

/** The answers of the step before, in the order of their requests. */
export const fourInOrder: Program = async (in_) => {
  const { answers = [] } = in_.known.all as { answers?: Exchange['answers'] };
  const statuses = answers.map(({ status }) => status).join();
  if (statuses !== '200,404,200,200')
    in_.wrong(`answered four requests of one connection with ${statuses || 'nothing'}`, 'answer 200,404,200,200');
};

const gone =
  (count: number): Program =>
  async (in_) => {
    const { requests } = in_.affair;
    const all = () => requests.length >= count && requests.every(({ goneAt }) => goneAt !== undefined);
    if (!(await until(all, soonMs)))
      in_.wrong('went on with a request whose client had gone', 'reset it upstream', 'TW-CUS-009');
  };

export const bothGone = gone(2);
export const allGone = gone(1);

/** Characters of a head that no server has to take. */
const largeBytes = 200_000;

export const largeHeads: Program = async (in_) => {
  const large = 'x'.repeat(largeBytes);
  const surface = `/agents/${in_.iid}/surface`;
  const rows = [
    { name: 'a header of 200 kB', route: 'surface' as const, headers: { prefer: large } },
    { name: 'a cookie of 200 kB', route: 'surface' as const, headers: { cookie: large } },
    { name: 'an authorization of 200 kB', route: 'surface' as const, headers: { authorization: `Bearer ${large}` } },
    { name: 'a query of 200 kB', target: `${surface}?q=${large}` },
    { name: 'a path of 200 kB', target: `/agents/${large}/surface` },
    { name: '2,000 headers', route: 'surface' as const, headers: many() },
  ];
  await refused(in_, { statuses: [400, 403, 404, 413, 414, 431], rows });
};

const many = () => Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`x-header-${n}`, 'x'.repeat(100)]));

/** Until the token that the file holds now goes upstream; an older one may for a moment, another never. */
export const takesNewToken: Program = async (in_) => {
  const deadline = performance.now() + soonMs;
  const last = () => in_.affair.requests.at(-1)?.headers.authorization;
  while (performance.now() < deadline) {
    await in_.exchange({ route: 'surface' });
    if (last() === `Bearer ${in_.host.token}`) return;
    if (!isHeld(in_, last())) break;
  }
  in_.wrong('went on with another token than the file holds', 'read it again', 'TW-CUS-017');
};

const isHeld = (in_: Scene, authorization: string | undefined): boolean =>
  in_.host.secrets.some((secret) => authorization === `Bearer ${secret}`);
