/**
 * What the Custodian adds: `npm run bench -- custodian`. Surface reads and picks over loopback, in turns: with no proxy, through a
 * bare Hono + undici pass-through, and through the Custodian on Node and on Envoy, all with one core each at most.
 */
import { protocol } from '@turnwire/sdk';
import { forSeconds, good } from '../../contract-tests/bench/load.ts';
import { Wire } from '../../contract-tests/bench/wire.ts';
import { cpuMsOf, rssOf, Stage, type Subject } from './subjects.ts';

const ROUNDS = 21;
const WARM_UP = 4;
const CLIENTS = 32;
const SECONDS = 0.5;
const SINGLE = 200;
const HELD = 1_000;

const standIn = `authorization: Bearer ${protocol.custodian.standIn}\r\n`;
const body = JSON.stringify({ turnId: 'turn', deliveryId: 'd', event: 'pick_0', input: { text: 'a sentence or two' } });
const kinds = {
  surface: `GET /agents/bench/surface HTTP/1.1\r\nhost: bench\r\n${standIn}accept: application/json\r\n\r\n`,
  pick: `POST /agents/bench/events HTTP/1.1\r\nhost: bench\r\n${standIn}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
};
const poll = `GET /agents/bench/deliveries/d?wait=25 HTTP/1.1\r\nhost: bench\r\n${standIn}\r\n`;

const quantile = (values: readonly number[], share: number): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
};
const median = (values: readonly number[]) => quantile(values, 0.5);

/** Many clients at once: how many requests, for how long, and what they cost the subject. */
async function load(subject: Subject, request: string): Promise<{ count: number; seconds: number; cpuMs: number }> {
  const wires = await Promise.all(Array.from({ length: CLIENTS }, () => Wire.open(subject.url)));
  const cpuBefore = cpuMsOf(subject);
  const startedAt = performance.now();
  const { times } = await forSeconds(SECONDS, wires, (wire) => wire.send(request));
  for (const wire of wires) wire.close();
  return { count: times.length, seconds: (performance.now() - startedAt) / 1_000, cpuMs: cpuMsOf(subject) - cpuBefore };
}

/** Milliseconds of each request of one client. */
async function latencies({ url }: Subject, request: string): Promise<number[]> {
  const wire = await Wire.open(url);
  const times: number[] = [];
  for (let n = 0; n < SINGLE; n += 1) times.push(good(await wire.send(request)).ms);
  wire.close();
  return times;
}

interface Figures {
  readonly perSecond: number[];
  count: number;
  cpuMs: number;
  readonly p50: number[];
  readonly p99: number[];
}

async function measure(subjects: readonly Subject[], request: string): Promise<Figures[]> {
  const figures = subjects.map((): Figures => ({ perSecond: [], count: 0, cpuMs: 0, p50: [], p99: [] }));
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    // Each other round the other way round, so that nobody is always the one after somebody.
    const turns = [...subjects.entries()];
    for (const [index, subject] of round % 2 === 0 ? turns : turns.reverse()) {
      const times = await latencies(subject, request);
      const { count, seconds, cpuMs } = await load(subject, request);
      const mine = figures[index];
      if (round < 0 || !mine) continue;
      mine.perSecond.push(count / seconds);
      mine.count += count;
      mine.cpuMs += cpuMs;
      mine.p50.push(median(times));
      mine.p99.push(quantile(times, 0.99));
    }
  }
  return figures;
}

let missed = 0;
function bound(holds: boolean, text: string): string {
  if (!holds) missed += 1;
  return `(${text}) ${holds ? 'ok' : 'MISSED'}`;
}

/** The ratio is the median of those of the rounds, in which both ran right after each other. */
const ratio = (ours: readonly number[], theirs: readonly number[]) =>
  median(ours.map((value, round) => value / (theirs[round] ?? value)));

function say(kind: string, subjects: readonly Subject[], figures: readonly Figures[]): void {
  const [none, bare] = figures as [Figures, Figures];
  for (const [index, { name }] of subjects.entries()) {
    const mine = figures[index] as Figures;
    const added = (of: 'p50' | 'p99') => `${(median(mine[of]) - median(none[of])).toFixed(3)} ms`;
    const more = index === 0 ? '' : `, added p50 ${added('p50')}, p99 ${added('p99')}`;
    const each = `${Math.round(median(mine.perSecond)).toLocaleString('en')}/s, p50 ${median(mine.p50).toFixed(3)} ms, p99 ${median(mine.p99).toFixed(3)} ms`;
    const cpu = `${((mine.cpuMs * 1_000) / mine.count).toFixed(0)} µs of processor each`;
    process.stdout.write(`${kind.padEnd(8)} ${name.padEnd(20)} ${each}${more}, ${cpu}\n`);
    if (index < 2) continue;
    const rate = ratio(mine.perSecond, bare.perSecond);
    const p50 = ratio(mine.p50, bare.p50);
    process.stdout.write(
      `${''.padEnd(8)}   of bare              ${rate.toFixed(2)} × its throughput ${bound(rate >= 0.8, 'at least 0.8')}, ${p50.toFixed(2)} × its p50 ${bound(p50 <= 1.25, 'at most 1.25')}\n`,
    );
  }
}

/** Polls that nobody answers, each on a connection of its own. */
async function hold({ url }: Subject, count: number): Promise<() => Promise<void>> {
  const wires = await Promise.all(Array.from({ length: count }, () => Wire.open(url)));
  for (const wire of wires) wire.send(poll).catch(() => {});
  await pause(2_000);
  return async () => {
    for (const wire of wires) wire.close();
    await pause(1_000);
  };
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** What they cost, once some have been held before: no pool and no buffer is counted that a process makes once. */
async function held(subject: Subject): Promise<void> {
  const free = await hold(subject, HELD / 4);
  await free();
  const before = rssOf(subject);
  const end = await hold(subject, HELD);
  const mib = (rssOf(subject) - before) / 1024 / 1024;
  await end();
  const each = `${((mib * 1024) / HELD).toFixed(1)} KiB each`;
  const what = `${HELD.toLocaleString('en')} polls: ${mib.toFixed(1)} MiB more, ${each}`;
  process.stdout.write(`held     ${subject.name.padEnd(20)} ${what}\n`);
}

const stage = new Stage();
const proxies = async (to: string): Promise<Subject[]> => {
  const envoy = await stage.envoy(to);
  if (!envoy) process.stdout.write('there is no Envoy: `npm run tools` installs it\n');
  return [await stage.bare(to), await stage.node(to), ...(envoy ? [envoy] : [])];
};
try {
  const none = await stage.upstream();
  // Of their own: neither is measured with what the other left behind.
  for (const subject of await proxies(none.url)) await held(subject);
  const subjects = [none, ...(await proxies(none.url))];
  for (const [kind, request] of Object.entries(kinds)) say(kind, subjects, await measure(subjects, request));
} finally {
  stage.close();
}
process.exitCode = missed === 0 ? 0 : 1;
