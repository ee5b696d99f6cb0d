/** Polls that are held: how soon they are answered, and what 10,000 of them cost. */

import { good } from '../../contract-tests/bench/load.ts';
import { Wire } from '../../contract-tests/bench/wire.ts';
import { fsyncMs, ms, quantile, type Sheet } from './figures.ts';
import { Stage } from './stage.ts';
import { newFolder, removeFolder, type Subject, startBare } from './subjects.ts';

const HELD = 10_000;
const ROUNDS = 300;
const KIB = 1_024;

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** A person answers a gate inside the agent's state; the poll that waits for it is read. */
export async function measureResolve(sheet: Sheet): Promise<void> {
  const stage = await Stage.open();
  const [{ runId, turn } = { runId: '', turn: { iid: '', turnId: '' } }] = await stage.begin(1);
  const [agent, person] = (await stage.wires(2)) as [Wire, Wire];
  const { instance, placement } = stage.tokens;
  const times: number[] = [];
  for (let n = 0; n < ROUNDS; n += 1) {
    const deliveryId = `ask-${n}`;
    const pick = { turnId: turn.turnId, deliveryId, event: 'ask', input: {} };
    good(await agent.ask('POST', `/agents/${turn.iid}/events`, placement, pick));
    const polled = agent.ask('GET', `/agents/${turn.iid}/deliveries/${deliveryId}?wait=25`, placement);
    await pause(2);
    const startedAt = performance.now();
    const answer = { event: 'say', input: { text: 'yes' } };
    const said = person.ask('POST', `/runs/${runId}/gates/question/events`, instance, answer);
    good(await polled);
    times.push(performance.now() - startedAt);
    good(await said);
  }
  const disk = `fsync ${ms(fsyncMs(stage.folder))}`;
  agent.close();
  person.close();
  await stage.close();
  const p50 = quantile(times.slice(50), 0.5);
  const figure = `p50 ${ms(p50)}, p99 ${ms(quantile(times.slice(50), 0.99))}; ${disk}`;
  sheet.say('resolve → answer read', figure, { holds: p50 <= 2, text: 'at most 2 ms' });
}

interface Held {
  held: number;
  bytesEach: number;
  /** Processor time per second while nothing happens, in milliseconds. */
  idleMs: number;
}

/** Each on a connection of its own, until the machine has no more descriptors to give. */
async function hold(subject: Subject, path: string, token: string): Promise<Held> {
  const warm = await Promise.all(Array.from({ length: 200 }, () => Wire.open(subject.url)));
  for (const wire of warm) void wire.ask('GET', path, token).catch(() => {});
  await pause(500);
  for (const wire of warm) wire.close();
  await pause(500);
  const before = subject.rss;
  const wires: Wire[] = [];
  try {
    while (wires.length < HELD) {
      const some = await Promise.all(Array.from({ length: 250 }, () => Wire.open(subject.url)));
      for (const wire of some) void wire.ask('GET', path, token).catch(() => {});
      wires.push(...some);
    }
  } catch {
    // No more descriptors: what is held is said.
  }
  await pause(1_500);
  const bytesEach = (subject.rss - before) / wires.length;
  const cpu = subject.cpuMs;
  await pause(4_000);
  const idleMs = (subject.cpuMs - cpu) / 4;
  for (const wire of wires) wire.close();
  return { held: wires.length, bytesEach, idleMs };
}

export async function measureHeld(sheet: Sheet): Promise<void> {
  const folder = newFolder();
  const bare = await startBare(folder, 'one');
  const theirs = await hold(bare, '/hold', 'none');
  await bare.kill();
  removeFolder(folder);
  const stage = await Stage.open();
  const [{ turn } = { turn: { iid: '', turnId: '' } }] = await stage.begin(1);
  const [wire] = (await stage.wires(1)) as [Wire];
  const pick = { turnId: turn.turnId, deliveryId: 'held', event: 'ask', input: {} };
  good(await wire.ask('POST', `/agents/${turn.iid}/events`, stage.tokens.placement, pick));
  const ours = await hold(stage.subject, `/agents/${turn.iid}/deliveries/held?wait=25`, stage.tokens.placement);
  wire.close();
  await stage.close();
  const kib = (bytes: number) => `${(bytes / KIB).toFixed(1)} KiB`;
  sheet.say(
    `${ours.held.toLocaleString('en')} held polls`,
    `${kib(ours.bytesEach)} each, bare ${kib(theirs.bytesEach)}`,
    {
      holds: ours.bytesEach <= 24 * KIB,
      text: 'at most 24 KiB',
    },
  );
  sheet.say(
    '  processor while they are held',
    `${ours.idleMs.toFixed(1)} ms a second, bare ${theirs.idleMs.toFixed(1)}`,
    {
      holds: ours.idleMs <= 20,
      text: 'at most 20: nothing that grows with them',
    },
  );
}
