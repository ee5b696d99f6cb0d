/** Requests that must not get through: each is answered by the subject itself, and nothing of any goes upstream. */
import { difference } from '../harness/expect.ts';
import { nameOf } from '../run/answered.ts';
import { until } from '../run/until.ts';
import type { Refusal, Step } from './case.ts';
import { document, type Scene } from './scene.ts';

/** Milliseconds in which a request that is forwarded has arrived. */
const arrivalMs = 5_000;

/** So many ways in which a subject is wrong say what is wrong with it. */
export const enough = 10;

export async function refused(in_: Scene, { statuses, code, rows }: NonNullable<Step['refused']>): Promise<void> {
  for (const row of rows) if (in_.mismatches.length < enough) await refuse(in_, row, statuses, code);
  // One that is forwarded, behind all of them: what was to arrive before it has arrived when it has.
  in_.affair.plan([]);
  await in_.exchange({ route: 'surface', headers: { 'turnwire-version': '1' } });
  await until(() => in_.affair.requests.some(isLast), Math.min(arrivalMs, in_.host.answerMs));
  const { requests } = in_.affair;
  if (!requests.some(isLast)) in_.wrong('did not forward a surface read afterwards', 'go on as before', 'TW-CUS-001');
  for (const request of requests.filter((one) => !isLast(one)))
    in_.wrong(`sent upstream ${request.line}`, 'forward nothing of it');
  for (const stray of in_.host.upstream.strays)
    in_.wrong(`sent upstream what nobody asked for: ${stray.line}`, 'forward nothing of it');
}

const isLast = ({ headers, target, method }: { headers: Record<string, string>; target: string; method: string }) =>
  method === 'GET' && target.endsWith('/surface') && headers['turnwire-version'] === '1';

async function refuse(in_: Scene, row: Refusal, statuses: readonly number[], code: unknown): Promise<void> {
  in_.note(`row ${row.name}`);
  const { answers, closed, request } = await in_.exchange(row);
  const [answer] = answers;
  if (!answer) {
    const did = closed ? `ended the connection of ${request}` : `gave no answer to ${request}`;
    return in_.wrong(`${did} (${row.name})`, `answer ${statuses.join(' or ')}`);
  }
  if (!statuses.includes(answer.status))
    in_.wrong(`answered ${nameOf(answer)} ${answer.status} (${row.name})`, `answer ${statuses.join(' or ')}`);
  const odd = code === undefined ? undefined : difference(code, answer.headers['turnwire-code'], 'the code');
  if (odd) in_.wrong(`answered ${nameOf(answer)} so that ${odd.was} (${row.name})`, `answer so that ${odd.should}`);
  const general = document.violations({ ...answer, path: '/' });
  in_.mismatches.push(...general.map((each) => ({ ...each, did: `${each.did} (${row.name})` })));
}
