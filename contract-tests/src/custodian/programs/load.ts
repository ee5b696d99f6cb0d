/** Many at once. */
import { connect, type Socket } from 'node:net';
import { until } from '../../run/until.ts';
import type { Program } from '../programs.ts';

const thousand = 1_000;
/** Milliseconds that a request may take while others wait. */
const promptMs = 2_000;
/** Milliseconds in which everything that was begun has come. */
const allMs = 20_000;

export const thousandIdle: Program = async (in_) => {
  const port = Number(new URL(in_.host.url).port);
  const sockets = await Promise.all(Array.from({ length: thousand }, () => idle(port)));
  const open = () => sockets.filter((socket) => socket && !socket.destroyed).length;
  if (open() < thousand) in_.wrong(`took ${open()} of ${thousand} connections`, 'take them');
  const { answers, ms } = await in_.exchange({ route: 'surface' });
  if (answers[0]?.status !== 200 || ms > promptMs)
    in_.wrong(`answered ${answers[0]?.status} in ${ms.toFixed(0)} ms beside them`, `answer within ${promptMs} ms`);
  for (const socket of sockets) socket?.destroy();
  if (in_.host.upstream.connections.length > 1)
    in_.wrong(`opened ${in_.host.upstream.connections.length} connections upstream`, 'open one');
};

function idle(port: number): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.on('error', () => resolve(undefined));
    socket.once('connect', () => resolve(socket));
  });
}

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
  if (!(await until(() => in_.affair.requests.length >= count, allMs)))
    in_.wrong(`sent ${in_.affair.requests.length} of ${count} polls upstream`, 'send them all');
  const { answers, ms } = await in_.exchange({ route: 'pick' });
  if (answers[0]?.status !== 200 || ms > promptMs)
    in_.wrong(`answered ${answers[0]?.status} in ${ms.toFixed(0)} ms beside them`, `answer within ${promptMs} ms`);
  in_.affair.release();
  const exchanges = await Promise.all(polls);
  const lost = exchanges.filter((each) => each.answers[0]?.status !== 200).length;
  if (lost > 0) in_.wrong(`lost ${lost} of ${count} polls`, 'answer each');
};
