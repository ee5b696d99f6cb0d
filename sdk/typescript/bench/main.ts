/**
 * What the SDK costs over a bare `undici.fetch` of the same bytes, on a real socket: `npm run bench -- sdk`. Exits 1 when a seat
 * is over its bound, or armed a timer of the ladder although everything succeeded.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Agent, fetch } from 'undici';
import { type Clock, type Connection, connect, deliver, protocol, surface, systemClock } from '../src/index.ts';

/** How much longer a seat may take than the bare call. */
const mostTimes = 1.25;
const rounds = 40;
const callsPerRound = 150;
const warmUpRounds = 6;

interface Contestants {
  readonly bare: () => Promise<unknown>;
  readonly ours: () => Promise<unknown>;
}

interface Figures {
  readonly seat: string;
  /** Microseconds for one call, the median of the rounds. */
  readonly bareUs: number;
  readonly oursUs: number;
  /** The median of the rounds' own ratios: each compares neighbours in time. */
  readonly times: number;
}

async function measure(seat: string, { bare, ours }: Contestants): Promise<Figures> {
  const bareMs: number[] = [];
  const oursMs: number[] = [];
  for (let round = 0; round < warmUpRounds + rounds; round++) {
    // Who goes first changes, so that what the other left behind is not always paid by the same one.
    const first = round % 2 === 0;
    const early = await timed(first ? bare : ours);
    const late = await timed(first ? ours : bare);
    if (round < warmUpRounds) continue;
    bareMs.push(first ? early : late);
    oursMs.push(first ? late : early);
  }
  const ratios = oursMs.map((ms, at) => ms / (bareMs[at] ?? Number.NaN));
  const perCall = (values: number[]) => (median(values) / callsPerRound) * 1000;
  return { seat, bareUs: perCall(bareMs), oursUs: perCall(oursMs), times: median(ratios) };
}

async function timed(call: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  for (let count = 0; count < callsPerRound; count++) await call();
  return performance.now() - started;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** A clock that counts what the ladder asks of it. */
function countingClock(): Clock & { sleeps: number } {
  const clock = {
    ...systemClock,
    sleeps: 0,
    sleep: (ms: number, signal?: AbortSignal) => {
      clock.sleeps++;
      return systemClock.sleep(ms, signal);
    },
  };
  return clock;
}

const iid = 'i1';
const pick = { turnId: 't1', deliveryId: 'd1', event: 'pick_1', input: { note: 'It does what it says.' } };

function contests(connection: Connection, agent: Agent): Record<string, Contestants> {
  const headers = { accept: 'application/json', authorization: 'Bearer token', [protocol.headers.version]: '1' };
  const base = `${connection.baseUrl}/agents/${iid}`;
  const read = async (init: Parameters<typeof fetch>[1], path: string) =>
    (await fetch(base + path, { ...init, dispatcher: agent })).json();
  const post = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } };
  return {
    surface: { bare: () => read({ headers }, '/surface'), ours: () => surface(connection, { iid }) },
    deliver: {
      bare: () => read({ ...post, body: JSON.stringify(pick) }, '/events'),
      ours: () => deliver(connection, { iid, ...pick, clientDeliveryIds: true }),
    },
  };
}

async function main(): Promise<void> {
  const execArgv = ['--conditions=turnwire-source', '--import', 'tsx'];
  const server = fork(fileURLToPath(new URL('server.ts', import.meta.url)), { execArgv });
  const [port] = (await once(server, 'message')) as [number];
  const clock = countingClock();
  const connection = connect({ baseUrl: `http://127.0.0.1:${port}`, token: 'token', clock });
  const agent = new Agent();
  let failed = false;
  for (const [seat, contestants] of Object.entries(contests(connection, agent))) {
    const { bareUs, oursUs, times } = await measure(seat, contestants);
    const over = !(times <= mostTimes);
    failed ||= over;
    const figures = `bare ${bareUs.toFixed(0)} µs, sdk ${oursUs.toFixed(0)} µs, ${times.toFixed(2)} × (at most ${mostTimes})`;
    process.stdout.write(`${seat.padEnd(8)} ${figures} ${over ? 'OVER' : 'ok'}\n`);
  }
  failed ||= clock.sleeps > 0;
  process.stdout.write(`timers of the ladder: ${clock.sleeps} (none may be armed)\n`);
  await connection.close();
  await agent.close();
  server.disconnect();
  process.exitCode = failed ? 1 : 0;
}

await main();
