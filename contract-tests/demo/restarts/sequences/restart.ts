/** Nodes that go and come back while calls arrive. */
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from '../../cast.ts';
import { type Answered, newMarker, spent } from '../calls.ts';
import type { NodePlace } from '../node-place.ts';
import { type Findings, type Sequence, seconds } from '../sequence.ts';

/** The drain grace after which what the old instance had is looked after, and what a busy machine may add, in milliseconds. */
const DRAIN_GRACE_MS = 60_000;
const SLACK_MS = 15_000;
/** How long a node may be away that is started at once: 4 s, and what a busy machine adds to its start, in milliseconds. */
const AWAY_MS = 12_000;

export const drained = (node: NodePlace): Sequence => ({
  name: 'the node drains, exits and comes back within 4 s while calls arrive',
  must: '200, every time',
  async run(was) {
    await node.up();
    const calls: Promise<Answered>[] = [];
    const markers: string[] = [];
    const arrive = setInterval(() => {
      markers.push(newMarker('drain'));
      calls.push(node.call({ marker: markers.at(-1) ?? '' }));
    }, 250);
    await sleep(1_000);
    const told = performance.now();
    node.harness?.signal('SIGTERM');
    const exit = await node.harness?.ended;
    const gone = performance.now();
    await node.up();
    const back = performance.now();
    await sleep(1_000);
    clearInterval(arrive);
    const answers = await Promise.all(calls);
    was.is(`drained in ${seconds(gone - told)} with exit ${exit}`, exit === 0);
    was.is(`away for ${seconds(back - gone)}`, back - gone < AWAY_MS);
    every(was, answers, 200);
    const asked = markers.map((marker) => node.town.asked(marker));
    was.is(
      'each worked on once',
      asked.every((times) => times === 1),
    );
    const records = await Promise.all(answers.map((answered) => node.town.calls.end(answered)));
    const waited = records.filter((record) => spent(record, 'awaiting_restart') !== undefined).length;
    was.is(`${waited} of ${records.length} awaited the restart`, waited > 0);
  },
});

export const refusing = (node: NodePlace, refusesMs: number): Sequence => ({
  name: `it registers again but its port refuses for another ${refusesMs / 1_000} s`,
  must: 'succeeded within the 90 s (200, or 202 and then polled), one admission taken',
  async run(was) {
    await node.isUp();
    await node.kill();
    const marker = newMarker('refuses');
    const began = performance.now();
    const calling = node.call({ marker });
    await sleep(1_000);
    const [port = 0] = await freePorts(1);
    await node.up({ env: { TURNWIRE_PUBLIC_URL: `http://127.0.0.1:${port}` }, unheard: true });
    await node.until(({ baseUrl, health }) => baseUrl.endsWith(`:${port}`) && health === 'healthy');
    await sleep(refusesMs);
    const door = await open(port, String(node.harness?.url));
    const answered = await calling;
    was.is(`${answered.status} after ${seconds(answered.ms)}`, answered.status === 200 || answered.status === 202);
    const execution = await node.town.calls.end(answered);
    await was.ended(node.town, execution, marker, { as: 'succeeded', asked: 1 });
    const ms = performance.now() - began;
    was.is(`over after ${seconds(ms)}`, ms > refusesMs && ms < 90_000);
    // Through the door, as long as it is open: readers find the end of what it did.
    await node.harness?.stop('SIGTERM');
    door.close();
  },
});

export const rolled = (node: NodePlace): Sequence => ({
  name: 'a rolling update: the new instance registers while the old one still runs a turn',
  must: 'the turn ends on the old one; no orphan',
  async run(was) {
    const old = await node.up({ data: `${node.name}-old` });
    const { instanceId } = await node.until(({ health }) => health === 'healthy');
    const { calls, news } = node.town;
    const marker = newMarker('slow');
    const accepted = await node.call({ marker, prefer: 'respond-async' });
    const id = String(accepted.body.executionId);
    await news.until(({ type, data }) => type === 'execution.running' && data.executionId === id);
    await node.up({ data: `${node.name}-new` });
    old.signal('SIGTERM');
    const between = newMarker('new');
    const other = await node.call({ marker: between });
    was.answered(other, 200);
    const execution = await calls.end(accepted);
    await was.ended(node.town, execution, marker, { as: 'succeeded', asked: 1 });
    const ran = spent(execution, 'running') ?? 0;
    was.is(`ran for ${seconds(ran)}, past the drain grace`, ran > DRAIN_GRACE_MS);
    was.is('on the old one', execution.instanceId === instanceId);
    was.is('the other on the new one', (await calls.end(other)).instanceId !== instanceId);
    was.is(`the old one ended with ${await old.ended}`, (await old.ended) === 0);
  },
});

export const registeredAgain = (node: NodePlace): Sequence => ({
  name: 're-registration while one execution awaits the restart and another was running on the old instance',
  must: 'the first succeeds; the second is agent_restart_orphaned after the drain grace',
  async run(was) {
    await node.up({ data: `${node.name}-old` });
    const { calls, news } = node.town;
    const lost = newMarker('never');
    const running = await node.call({ marker: lost, prefer: 'respond-async' });
    const lostId = String(running.body.executionId);
    await news.until(({ type, data }) => type === 'execution.running' && data.executionId === lostId);
    while (node.town.asked(lost) === 0) await sleep(50);
    await node.kill();
    const marker = newMarker('waits');
    const calling = node.call({ marker });
    await news.until(({ type, data }) => type === 'execution.awaiting_restart' && data.placement === node.name);
    const registered = Date.now();
    // Its folder is gone with it: nobody knows of the turn that ran there.
    await node.up({ data: `${node.name}-new` });
    const answered = await calling;
    was.answered(answered, 200);
    await was.ended(node.town, await calls.end(answered), marker, { as: 'succeeded', asked: 1 });
    const orphan = await calls.end(running);
    await was.ended(node.town, orphan, lost, { as: 'failed agent_restart_orphaned', asked: 1 });
    const ms = Date.parse(String(orphan.endedAt)) - registered;
    was.is(`${seconds(ms)} after the registration`, ms >= DRAIN_GRACE_MS - 1_000 && ms < DRAIN_GRACE_MS + SLACK_MS);
  },
});

export function every(was: Findings, answers: readonly Answered[], status: number): void {
  const wrong = answers.filter((answered) => answered.status !== status);
  const others = [...new Set(wrong.map((answered) => `${answered.status} ${answered.body.category ?? answered.code}`))];
  const slowest = Math.max(...answers.map(({ ms }) => ms));
  const text = `${answers.length - wrong.length} of ${answers.length} times ${status}, the slowest after ${seconds(slowest)}`;
  was.is(others.length > 0 ? `${text}; ${others.join(', ')}` : text, wrong.length === 0);
}

/** From now on what comes to a port goes on to where the node really listens. */
async function open(port: number, to: string): Promise<Server> {
  const { hostname, port: there } = new URL(to);
  const pair = (from: Socket, other: Socket): void => {
    from.pipe(other);
    from.on('error', () => other.destroy());
    from.on('close', () => other.destroy());
  };
  const server = createServer((socket) => {
    const onward = connect(Number(there), hostname);
    pair(socket, onward);
    pair(onward, socket);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return server;
}
