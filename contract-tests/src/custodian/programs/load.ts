/** Many at once. */
import { connect, type Socket } from 'node:net';
import { until } from '../../run/until.ts';
import type { Program } from '../programs.ts';
import type { Scene } from '../scene.ts';

const thousand = 1_000;
/** Milliseconds in which everything that was begun has come. */
const allMs = (in_: Scene): number => Math.min(20_000, in_.host.answerMs);

export const thousandIdle: Program = async (in_) => {
  const port = Number(new URL(in_.host.url).port);
  const sockets = await Promise.all(Array.from({ length: thousand }, () => idle(port)));
  const open = () => sockets.filter((socket) => socket && !socket.destroyed).length;
  if (open() < thousand) in_.wrong(`took ${open()} of ${thousand} connections`, 'take them');
  await isAnswered(in_, 'surface');
  for (const socket of sockets) socket?.destroy();
  const { length } = in_.host.upstream.connections;
  if (length !== 1) in_.wrong(`opened ${length} connections upstream for one request`, 'open one');
};

function idle(port: number): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.on('error', () => resolve(undefined));
    socket.once('connect', () => resolve(socket));
  });
}

/** While the others wait: they do so until it was. */
async function isAnswered(in_: Scene, route: 'surface' | 'pick'): Promise<void> {
  const [answer] = (await in_.exchange({ route })).answers;
  if (answer?.status !== 200) in_.wrong(`answered a ${route} beside them ${answer?.status ?? 'nothing'}`, 'answer it');
}

export const slowPeers: Program = async (in_) => {
  const count = 40;
  let go: () => void = () => undefined;
  const gone = new Promise<void>((resolve) => {
    go = resolve;
  });
  // More than any buffer between the kit and itself holds.
  in_.affair.plan(Array.from({ length: count }, () => ({ bytes: 4_000_000 })));
  const readers = Array.from({ length: count }, () => in_.exchange({ route: 'surface', unread: true }, gone));
  if (!(await until(() => in_.affair.requests.length >= count, allMs(in_))))
    in_.wrong('sent not all reads', 'send them');
  const senders = Array.from({ length: count }, () => in_.exchange({ route: 'pick', sent: 20 }, gone));
  if (!(await until(() => in_.affair.requests.length >= 2 * count, allMs(in_))))
    in_.wrong('sent not all picks', 'send them');
  await isAnswered(in_, 'surface');
  await isAnswered(in_, 'pick');
  go();
  await Promise.all([...readers, ...senders]);
  const whole = in_.affair.requests.filter(({ method, whole }) => method === 'POST' && whole).length;
  if (whole !== 1) in_.wrong(`sent ${whole} whole picks upstream`, 'send the one that was whole', 'TW-CUS-009');
};

export const eachPickOnce: Program = async (in_) => {
  const count = 300;
  const picks = Array.from({ length: count }, (_, n) =>
    in_.exchange({ route: 'pick', json: { deliveryId: `d-${n}` } }),
  );
  const exchanges = await Promise.all(picks);
  const refused = exchanges.filter(({ answers }) => answers[0]?.status !== 200).length;
  if (refused > 0) in_.wrong(`did not answer ${refused} of ${count} picks with 200`, 'forward each');
  const bodies = in_.affair.requests.map(({ body, whole }) => `${whole} ${body}`);
  if (bodies.length !== count || new Set(bodies).size !== count)
    in_.wrong(`sent ${bodies.length} picks upstream, ${new Set(bodies).size} of them different`, `send ${count}`);
};

export const parkedPolls: Program = async (in_) => {
  const count = 200;
  in_.affair.plan(Array.from({ length: count }, () => ({ hold: true })));
  const polls = Array.from({ length: count }, () => in_.exchange({ route: 'poll' }));
  if (!(await until(() => in_.affair.requests.length >= count, allMs(in_))))
    in_.wrong(`sent ${in_.affair.requests.length} of ${count} polls upstream`, 'send them all');
  await isAnswered(in_, 'pick');
  in_.affair.release();
  const exchanges = await Promise.all(polls);
  const lost = exchanges.filter((each) => each.answers[0]?.status !== 200).length;
  if (lost > 0) in_.wrong(`lost ${lost} of ${count} polls`, 'answer each');
};
