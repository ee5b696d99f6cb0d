/** Many at once. What a custodian proves not to have sent is sent again, which each caller may do: a busy machine is no failure. */
import { connect, type Socket } from 'node:net';
import { until } from '../../run/until.ts';
import type { Ask } from '../case.ts';
import { proves } from '../judge.ts';
import type { Program } from '../programs.ts';
import type { Scene } from '../scene.ts';
import type { Got } from '../wire.ts';

/** Idle connections, and requests at once. */
const thousand = 1_000;
const many = 100;
const few = 12;
/** How often a caller sends what was proved not to have been sent. */
const mostCopies = 5;

/** The answer to a request that is sent again as long as it is proved that it was not. */
async function answered(in_: Scene, ask: Ask): Promise<Got | undefined> {
  for (let copy = 1; ; copy += 1) {
    const [answer] = (await in_.exchange(ask)).answers;
    if (copy === mostCopies || !answer || !proves(answer)) return answer;
  }
}

/** While the others wait: they do so until it was. */
async function isAnswered(in_: Scene, route: 'surface' | 'pick'): Promise<void> {
  const answer = await answered(in_, { route });
  if (answer?.status !== 200) in_.wrong(`answered a ${route} beside them ${answer?.status ?? 'nothing'}`, 'answer it');
}

async function haveArrived(in_: Scene, count: number, what: string): Promise<void> {
  const { requests } = in_.affair;
  if (!(await until(() => requests.length >= count, in_.host.answerMs)))
    in_.wrong(`sent ${requests.length} of ${count} ${what} upstream`, 'send them all');
}

export const thousandIdle: Program = async (in_) => {
  const port = Number(new URL(in_.host.url).port);
  const sockets = await Promise.all(Array.from({ length: thousand }, () => idle(port)));
  const open = sockets.filter((socket) => socket && !socket.destroyed).length;
  if (open < thousand) in_.wrong(`took ${open} of ${thousand} connections`, 'take them');
  await isAnswered(in_, 'surface');
  for (const socket of sockets) socket?.destroy();
  const { length } = in_.host.upstream.connections;
  if (length === 0 || length > mostCopies)
    in_.wrong(`opened ${length} connections upstream for one request`, 'open one');
};

function idle(port: number): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.on('error', () => resolve(undefined));
    socket.once('connect', () => resolve(socket));
  });
}

export const slowPeers: Program = async (in_) => {
  let go: () => void = () => undefined;
  const gone = new Promise<void>((resolve) => {
    go = resolve;
  });
  // More than any buffer between the kit and itself holds.
  in_.affair.plan(Array.from({ length: few }, () => ({ bytes: 4_000_000 })));
  const readers = Array.from({ length: few }, () => in_.exchange({ route: 'surface', unread: true }, gone));
  await haveArrived(in_, few, 'reads');
  const senders = Array.from({ length: few }, () => in_.exchange({ route: 'pick', sent: 20 }, gone));
  await haveArrived(in_, 2 * few, 'reads and picks');
  await isAnswered(in_, 'surface');
  await isAnswered(in_, 'pick');
  go();
  await Promise.all([...readers, ...senders]);
  const whole = in_.affair.requests.filter((one) => one.method === 'POST' && one.whole).length;
  if (whole !== 1) in_.wrong(`sent ${whole} whole picks upstream`, 'send the one that was whole', 'TW-CUS-009');
};

export const eachPickOnce: Program = async (in_) => {
  const pick = { turnId: 't', event: 'note', input: {} };
  const bodies = Array.from({ length: many }, (_, n) => ({ ...pick, deliveryId: `d-${n}` }));
  const answers = await Promise.all(bodies.map((json) => answered(in_, { route: 'pick', json })));
  const others = answers.filter((answer) => answer?.status !== 200).length;
  if (others > 0) in_.wrong(`did not answer ${others} of ${many} picks with 200`, 'forward each');
  const arrived = in_.affair.requests.map(({ body, whole }) => `${whole} ${body}`);
  if (arrived.length !== many || new Set(arrived).size !== many)
    in_.wrong(`sent ${arrived.length} picks upstream, ${new Set(arrived).size} of them different`, `send ${many}`);
};

export const parkedPolls: Program = async (in_) => {
  in_.affair.plan(Array.from({ length: many }, () => ({ hold: true })));
  const polls = Array.from({ length: many }, () => answered(in_, { route: 'poll' }));
  await haveArrived(in_, many, 'polls');
  await isAnswered(in_, 'pick');
  in_.affair.release();
  const lost = (await Promise.all(polls)).filter((answer) => answer?.status !== 200).length;
  if (lost > 0) in_.wrong(`lost ${lost} of ${many} polls`, 'answer each');
};
