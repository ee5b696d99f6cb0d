/** What the steps of a case do, each by its name. */
import { difference } from '../harness/expect.ts';
import { SubjectError } from '../harness/subject.ts';
import { until } from '../run/until.ts';
import type { AnswerExpected, Ask, Step } from './case.ts';
import { judge } from './judge.ts';
import { logged } from './log.ts';
import { programs } from './programs.ts';
import { refused } from './refusals.ts';
import type { Scene } from './scene.ts';

/** Milliseconds that things may take which are not about time. */
const patience = 15_000;

/** A step whose outcome makes the ones after it pointless; what was wrong is noted. */
export class CaseOver extends Error {
  override readonly name = 'CaseOver';
}

export async function perform(in_: Scene, written: Step): Promise<void> {
  const step = in_.fill(written);
  const { affair } = in_;
  if (step.upstream) affair.plan(step.upstream);
  if (step.release) affair.release();
  if (step.place) await (step.place === 'refused' ? in_.host.upstream.refuse() : in_.host.upstream.start());
  if (step.token) in_.host.process?.put(step.token);
  if (step.pause !== undefined) await new Promise((resolve) => setTimeout(resolve, step.pause));
  if (step.ask) await asked(in_, step.ask, step);
  if (step.refused) await refused(in_, step.refused);
  if (step.arrived) await arrived(in_, step.arrived);
  if (step.together) await Promise.all(written.together?.map((one) => perform(in_, one)) ?? []);
  await control(in_, step);
  if (step.log !== undefined) await logged(in_, step.log);
  if (step.run !== undefined) await programs[step.run]?.(in_);
}

async function asked(in_: Scene, ask: Ask, { as, expect }: Step): Promise<void> {
  const wanted = (expect ?? { status: 200 }) as AnswerExpected;
  const exchanges = await Promise.all(Array.from({ length: ask.copies ?? 1 }, () => in_.exchange(ask)));
  // Of one that leaves, what it saw until then.
  const seen =
    ask.leave === 'arrived' ? { none: true } : ask.leave === 'answered' ? { whole: false, foreign: true } : {};
  for (const one of exchanges) judge(in_, one, { ...wanted, ...seen });
  const [first] = exchanges;
  if (as !== undefined) in_.known[as] = { ...first?.answers[0], answers: first?.answers };
}

async function arrived(
  in_: Scene,
  { afterMs, withinMs = Math.min(patience, in_.host.answerMs), ...wanted }: NonNullable<Step['arrived']>,
): Promise<void> {
  if (afterMs !== undefined) await new Promise((resolve) => setTimeout(resolve, afterMs));
  const odd = () => {
    const { connections } = in_.host.upstream;
    const requests = in_.affair.requests.map((one) => one.seen);
    const used = new Set(in_.affair.requests.map((one) => one.connection.n)).size;
    const times = connections.map(({ at }) => at);
    const spanMs = times.length === 0 ? 0 : Math.max(...times) - Math.min(...times);
    const open = connections.filter(({ endedAt }) => endedAt === undefined).length;
    const seen = { requests, connections: connections.length, used, spanMs, open, count: requests.length };
    return difference(wanted, seen);
  };
  await until(() => odd() === undefined, afterMs === undefined ? withinMs : 0);
  const found = odd();
  if (found) in_.wrong(`sent upstream so that ${found.was}`, `send so that ${found.should}`);
}

async function control(in_: Scene, step: Step): Promise<void> {
  const { process } = in_.host;
  if (!process) return;
  if (step.start) await process.start(step.start);
  if (step.startFails) await startFails(in_, step.startFails);
  if (step.signal) process.running.signal(step.signal);
  if (step.exit === undefined) return;
  const code = await process.running.exit(patience);
  const did = code === 'late' ? `did not end within ${patience} ms` : `ended with code ${code}`;
  if (code !== step.exit) in_.wrong(did, `end by itself with code ${step.exit}`, 'TW-GEN-032');
}

/** The kit's own wait for a start is longer than that of a process that knows that it cannot. */
async function startFails(in_: Scene, settings: Readonly<Record<string, string>>): Promise<void> {
  const { process } = in_.host;
  if (!process) return;
  try {
    await process.start(settings);
    in_.wrong('started all the same', 'refuse to start', 'TW-GEN-031');
  } catch (error) {
    if (!(error instanceof SubjectError)) throw error;
    in_.note(`it ${error.message}`);
    if (!error.message.startsWith('ended before')) in_.wrong(error.message, 'end at once', 'TW-GEN-031');
    else if (error.message.includes('it wrote nothing')) in_.wrong('said nothing', 'say why in one line', 'TW-GEN-031');
    else if (error.code === 0) in_.wrong('ended with 0', 'end with another code', 'TW-GEN-031');
  }
}
