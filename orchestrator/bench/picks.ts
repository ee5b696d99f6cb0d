/** Picks with their transition committed, beside a bare durable POST of the same size. */

import { forSeconds, good, type Loaded } from '../../contract-tests/bench/load.ts';
import { type Answer, Wire } from '../../contract-tests/bench/wire.ts';
import { fsyncMs, ms, quantile, rate, type Sheet } from './figures.ts';
import type { Turn } from './harness.ts';
import { Stage } from './stage.ts';
import { newFolder, removeFolder, startBare } from './subjects.ts';

const CLIENTS = 64;
/** Each measured in turns, so that what else the machine does falls on all of them; the figure is the median of the rounds. */
const ROUNDS = 7;
const SECONDS = 1.5;

const body = (of: number, n: number) => ({
  turnId: `turn-${of}`,
  deliveryId: `bench-${of}-${n}`,
  event: 'note',
  input: {},
});

interface Racer {
  name: 'one' | 'group' | 'picks';
  wires: Wire[];
  ask(wire: Wire, of: number): Promise<Answer>;
  rounds: Loaded[];
  close(): Promise<void>;
}

async function bare(mode: 'one' | 'group', clients: number): Promise<Racer> {
  const folder = newFolder();
  const subject = await startBare(folder, mode);
  const wires = await Promise.all(Array.from({ length: clients }, () => Wire.open(subject.url)));
  let n = 0;
  const ask = (wire: Wire, of: number) => wire.ask('POST', '/posts', 'none', body(of, n++));
  const close = async () => {
    for (const wire of wires) wire.close();
    await subject.kill();
    removeFolder(folder);
  };
  return { name: mode, wires, ask, rounds: [], close };
}

async function picks(stage: Stage, clients: number, first: number): Promise<Racer> {
  const runs = await stage.begin(clients, first);
  const wires = await stage.wires(clients);
  let n = 0;
  const ask = (wire: Wire, of: number) => {
    const { iid, turnId } = runs[of]?.turn ?? { iid: '', turnId: '' };
    return wire.ask('POST', `/agents/${iid}/events`, stage.tokens.placement, { ...body(of, n++), turnId });
  };
  const close = async () => {
    for (const wire of wires) wire.close();
  };
  return { name: 'picks', wires, ask, rounds: [], close };
}

async function race(racers: readonly Racer[]): Promise<void> {
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const racer of racers) {
      const loaded = await forSeconds(SECONDS, racer.wires, racer.ask);
      // The first is to warm up.
      if (round > 0) racer.rounds.push(loaded);
    }
  }
}

const perSecond = ({ rounds }: Racer): number =>
  quantile(
    rounds.map((round) => round.perSecond),
    0.5,
  );
const time = ({ rounds }: Racer, share: number): number =>
  quantile(
    rounds.map(({ times }) => quantile(times, share)),
    0.5,
  );
/** Round by round, so that both of a pair saw the same machine. */
const ratio = (one: readonly number[], other: readonly number[]): number =>
  quantile(
    one.map((value, index) => value / (other[index] ?? value)),
    0.5,
  );

export async function measurePicks(sheet: Sheet): Promise<void> {
  const stage = await Stage.open();
  const many: [Racer, Racer, Racer] = [
    await bare('one', CLIENTS),
    await bare('group', CLIENTS),
    await picks(stage, CLIENTS, 0),
  ];
  await race(many);
  const alone: [Racer, Racer] = [await bare('one', 1), await picks(stage, 1, CLIENTS)];
  await race(alone);
  const disk = `fsync ${ms(fsyncMs(stage.folder))}`;
  for (const racer of [...many, ...alone]) await racer.close();
  await stage.close();
  const [one, group, ours] = many;
  const rates = ({ rounds }: Racer) => rounds.map((round) => round.perSecond);
  sheet.say(`bare POST, ${CLIENTS} clients`, `${rate(perSecond(one))}, p50 ${ms(time(one, 0.5))}; ${disk}`);
  sheet.say('bare POST, group commit', `${rate(perSecond(group))}, p50 ${ms(time(group, 0.5))}; ${disk}`);
  const figure = `${rate(perSecond(ours))}, p50 ${ms(time(ours, 0.5))}, p99 ${ms(time(ours, 0.99))}; ${disk}`;
  sheet.say(`picks, ${CLIENTS} clients`, figure);
  const share = ratio(rates(ours), rates(one));
  sheet.say('  of bare, one commit each', `${share.toFixed(2)} ×`, { holds: share >= 1, text: 'at least 1.0' });
  sheet.say('  of bare, group commit', `${ratio(rates(ours), rates(group)).toFixed(2)} × (0.5 would be excellent)`);
  const p50s = ({ rounds }: Racer) => rounds.map(({ times }) => quantile(times, 0.5));
  const slower = ratio(p50s(alone[1]), p50s(alone[0]));
  sheet.say('pick, one client', `p50 ${ms(time(alone[1], 0.5))}, bare ${ms(time(alone[0], 0.5))}; ${disk}`);
  sheet.say('  of bare', `${slower.toFixed(2)} ×`, { holds: slower <= 2, text: 'at most 2' });
}

/** A run with 1,000 picks: its last hundred, in turns with the first hundred of another run, so that both see the same disk. */
export async function measureGrowth(sheet: Sheet): Promise<void> {
  const stage = await Stage.open();
  const [wire] = (await stage.wires(1)) as [Wire];
  let n = 0;
  const pick = async ({ iid, turnId }: Turn): Promise<number> => {
    const json = { ...body(0, n++), turnId };
    return good(await wire.ask('POST', `/agents/${iid}/events`, stage.tokens.placement, json)).ms;
  };
  const ratios: number[] = [];
  const firsts: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const [old, young] = (await stage.begin(2, round * 2)).map(({ turn }) => turn) as [Turn, Turn];
    for (let before = 0; before < 900; before += 1) await pick(old);
    const last: number[] = [];
    const first: number[] = [];
    for (let pair = 0; pair < 100; pair += 1) {
      last.push(await pick(old));
      first.push(await pick(young));
    }
    ratios.push(quantile(last, 0.5) / quantile(first, 0.5));
    firsts.push(quantile(first, 0.5));
  }
  const disk = `fsync ${ms(fsyncMs(stage.folder))}`;
  wire.close();
  await stage.close();
  const ratio = quantile(ratios, 0.5);
  sheet.say(
    'a run with 1,000 picks',
    `first 100 ${ms(quantile(firsts, 0.5))}, last 100 ${ratio.toFixed(2)} ×; ${disk}`,
    {
      holds: ratio <= 1.2,
      text: 'at most 1.2',
    },
  );
}
