/** What the steps of a case do, each by its name. */
import { type Difference, difference, mismatch } from '../harness/expect.ts';
import type { Answer } from '../harness/wire.ts';
import { nameOf, unexpected } from '../run/answered.ts';
import { until } from '../run/until.ts';
import type { AnswerExpected, Call, Step } from './case.ts';
import { nodeRequest, nodeStep } from './node-steps.ts';
import { programs } from './programs.ts';
import { beginCall, cancelCall, framesOf, gateCall, pickCall, pollCall, runIdOf, surfaceCall } from './requests.ts';
import type { Scene } from './scene.ts';

/** A step whose outcome makes the ones after it pointless; what was wrong is noted. */
export class CaseOver extends Error {
  override readonly name = 'CaseOver';
}

export async function perform(in_: Scene, written: Step): Promise<void> {
  const step = in_.fill(written);
  const { as, expect } = step;
  if (step.harness) planHarness(in_, step);
  if (step.harnessDown !== undefined) await (step.harnessDown ? in_.host.harness.stop() : in_.host.harness.start());
  if (step.pause !== undefined) await new Promise((resolve) => setTimeout(resolve, step.pause));
  if (step.feedIsOpen) await until(() => in_.feedIsOpen, in_.host.patienceMs);
  await nodeStep(in_, step);
  const call = requestOf(in_, step);
  if (call) await asked(in_, call, step);
  if (step.admitted !== undefined) await admitted(in_, step.admitted, as ?? 'turn', expect);
  if (step.settle) settle(in_, step.settle);
  if (step.view) await view(in_, step.view, expect, as);
  if (step.feed) await feed(in_, step.feed, expect);
  if (step.arrived) await arrived(in_, step.arrived);
  if (step.together) await Promise.all(written.together?.map((one) => perform(in_, one)) ?? []);
  await control(in_, step);
  if (step.run !== undefined) await programs[step.run]?.(in_);
}

function requestOf(in_: Scene, step: Step): { call: Call; usual: AnswerExpected; copies: number } | undefined {
  const of = (call: Call, usual: AnswerExpected, copies = 1) => ({ call, usual, copies });
  if (step.begin) return of(beginCall(in_, step.begin), { status: 201 }, step.begin.copies);
  if (step.pick) return of(pickCall(in_, step.pick), { status: 200 }, step.pick.copies);
  if (step.poll) return of(pollCall(in_, step.poll), { status: 200 }, step.poll.copies);
  if (step.surface) return of(surfaceCall(in_, step.surface), { status: 200 }, step.surface.copies);
  if (step.gate) return of(gateCall(in_, step.gate), { status: 200 }, step.gate.copies);
  if (step.cancel) return of(cancelCall(in_, step.cancel), { status: 200 }, step.cancel.copies);
  const ofNodes = nodeRequest(in_, step);
  if (ofNodes) return of(ofNodes.call, ofNodes.usual);
  return step.call ? of(step.call, {}) : undefined;
}

async function asked(
  in_: Scene,
  { call, usual, copies }: NonNullable<ReturnType<typeof requestOf>>,
  step: Step,
): Promise<void> {
  const wanted = { ...usual, ...(step.expect as AnswerExpected | undefined) };
  const answers = await Promise.all(Array.from({ length: copies }, () => in_.call(call)));
  for (const answer of answers) judge(in_, answer, copies === 1 ? wanted : { ...wanted, status: undefined });
  const statuses = answers.map(({ status }) => status).sort();
  const odd = copies === 1 ? undefined : mismatch(wanted.status, statuses);
  if (odd !== undefined) in_.wrong(`answered ${copies} copies at once so that ${odd}`, 'answer them as it should');
  const [first] = answers;
  const name = step.as ?? (step.begin ? 'run' : step.execute ? 'execution' : undefined);
  if (name !== undefined) in_.known[name] = { ...first, ...(first?.json as object), answers };
  if (step.begin && step.expect === undefined && first?.status !== 201) throw new CaseOver('no run');
}

/** An answer against what is expected of it. */
function judge(in_: Scene, answer: Answer, expect: AnswerExpected): void {
  const { withinMs, afterMs, status, code, headers, body, text } = expect;
  const wanted = {
    ...(status === undefined ? {} : { status }),
    ...(headers === undefined ? {} : { headers }),
    ...(body === undefined ? {} : { json: body }),
    ...(text === undefined ? {} : { text }),
  };
  const odd = unexpected(answer, wanted);
  if (odd) in_.wrong(odd.did, odd.should);
  const took = `answered ${nameOf(answer)} after ${answer.ms.toFixed(0)} ms`;
  if (withinMs !== undefined && answer.ms > withinMs) in_.wrong(took, `within ${withinMs} ms`);
  if (afterMs !== undefined && answer.ms < afterMs) in_.wrong(took, `not before ${afterMs} ms`);
  const said = answer.headers['turnwire-code'];
  if (code !== undefined && mismatch(code, said) !== undefined)
    in_.wrong(`answered ${nameOf(answer)} ${answer.status} ${said}`, `answer ${JSON.stringify(code)}`);
}

function planHarness(in_: Scene, { harness }: Step): void {
  in_.affair.plan(harness ?? {});
  if (harness?.store !== undefined) in_.host.harness.store = harness.store;
  if (harness?.mute !== undefined) in_.host.harness.mute = harness.mute;
  if (harness?.fencedAbort !== undefined) in_.host.harness.fencedAbort = harness.fencedAbort;
}

async function admitted(in_: Scene, nth: number, as: string, expect: unknown): Promise<void> {
  const { affair, host } = in_;
  if (!(await until(() => affair.submissions.length >= nth, host.patienceMs))) {
    in_.wrong(`admitted ${affair.submissions.length} turns within ${host.patienceMs} ms`, `admit ${nth}`);
    throw new CaseOver('waited in vain');
  }
  const submission = affair.submissions[nth - 1];
  in_.known[as] = submission;
  const odd = difference(expect ?? {}, submission);
  if (odd) in_.wrong(`admitted a turn of which ${odd.was}`, `ask for what the state says: ${odd.should}`);
}

function settle(in_: Scene, { of = 'turn', outcome = 'completed', code }: NonNullable<Step['settle']>): void {
  const known = in_.known[of] as { submissionId?: string } | undefined;
  const submission = in_.affair.submissions.find((one) => one.submissionId === known?.submissionId);
  if (submission) in_.affair.settle(submission, outcome, code);
}

/** Before the first answer. */
const never: Difference = { was: 'it was never asked', should: 'it is there', not: 'there' };

async function view(
  in_: Scene,
  { run, withinMs = in_.host.patienceMs }: NonNullable<Step['view']>,
  expect: unknown,
  as?: string,
): Promise<void> {
  let odd: Difference | undefined = never;
  const come = await until(async () => {
    const { status, json } = await in_.call({ path: `/runs/${runIdOf(in_, run)}` });
    odd = status === 200 ? difference(expect ?? {}, json) : difference(200, status, 'the status');
    if (odd === undefined && as !== undefined) in_.known[as] = json;
    return odd === undefined || in_.mismatches.length > 0;
  }, withinMs);
  if (come) return;
  in_.wrong(`showed a run of which, after ${withinMs} ms, ${odd?.was}`, `bring it there: ${odd?.should}`);
  throw new CaseOver('waited in vain');
}

async function feed(in_: Scene, wanted: NonNullable<Step['feed']>, expect: unknown): Promise<void> {
  const { run, all, forMs, until: text } = wanted;
  const path = all === true ? '/events' : `/runs/${runIdOf(in_, run)}/events`;
  const { patienceMs } = in_.host;
  const call = { path, forMs: forMs ?? patienceMs, ...(text === undefined ? {} : { until: text }) };
  const answer = await in_.call(call);
  const { frames, comments } = framesOf(answer);
  const ended = answer.ms < (forMs ?? patienceMs) && text === undefined;
  const seen = { status: answer.status, types: frames.map(({ type }) => type), frames, comments, ended };
  const odd = difference(expect ?? {}, seen);
  if (odd) in_.wrong(`gave a feed of which ${odd.was}`, `tell what was committed: ${odd.should}`);
}

async function arrived(
  in_: Scene,
  { afterMs, withinMs = in_.host.patienceMs, ...wanted }: NonNullable<Step['arrived']>,
): Promise<void> {
  if (afterMs !== undefined) await new Promise((resolve) => setTimeout(resolve, afterMs));
  const { admissions, submissions, aborts, streams } = in_.affair;
  const seen: Record<string, unknown> = { admissions, submissions, aborts, streams };
  const odd = () =>
    Object.entries(wanted)
      .map(([what, expected]) => difference(expected, seen[what], what))
      .find(Boolean);
  await until(() => odd() === undefined, afterMs === undefined ? withinMs : 0);
  const found = odd();
  if (found) in_.wrong(`sent the kit's harness requests of which ${found.was}`, `send them so that ${found.should}`);
  for (const { headers } of admissions) mustBeKeyed(in_, headers['idempotency-key'] ?? '');
}

/** The document lets a caller go without one; an orchestrator that would send it again does not (TW-GEN-017). */
function mustBeKeyed(in_: Scene, key: string): void {
  if (/^[\x21-\x7e]{1,128}$/.test(key)) return;
  in_.wrong(`admitted under the key ${JSON.stringify(key)}`, 'send a key of 1 to 128 visible characters', 'TW-GEN-017');
}

async function control(in_: Scene, step: Step): Promise<void> {
  const { process, patienceMs } = in_.host;
  if (!process) return;
  if (step.signal) process.signal(step.signal);
  if (step.kill) await process.kill();
  if (step.exit !== undefined) {
    const code = await process.exit(patienceMs);
    const did = code === 'late' ? `did not end within ${patienceMs} ms` : `ended with code ${code}`;
    if (code !== step.exit) in_.wrong(did, `end by itself with code ${step.exit}`);
  }
  if (!step.start) return;
  await process.start(step.start);
  const ready = async () => (await in_.call({ path: '/readyz' })).status === 204;
  if (!(await until(ready, patienceMs))) in_.wrong('was not ready in time after its start', 'be', 'TW-GEN-024');
}
