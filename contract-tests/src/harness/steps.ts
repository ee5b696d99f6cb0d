/** What the steps of a case do, each by its name. */
import { type ChatMessage, contentText } from '../model/conversation.ts';
import { nameOf, unexpected } from '../run/answered.ts';
import { until } from '../run/until.ts';
import type { Admission, AnswerExpected, Arrived, Follow, Step, WaitFor } from './case.ts';
import type { Conversation } from './conversation.ts';
import { difference, mismatch } from './expect.ts';
import { programs } from './programs.ts';
import { readToEnd, streamRules } from './records.ts';
import type { Answer } from './wire.ts';

/** Milliseconds that things may take which are not about time. */
const patience = 15_000;

/** A step whose outcome makes the ones after it pointless; what was wrong is noted. */
export class CaseOver extends Error {
  override readonly name = 'CaseOver';
}

export async function perform(in_: Conversation, step: Step): Promise<void> {
  const { as, expect } = step;
  if (step.plan) in_.stage.orchestrator.plan(in_.iid, step.plan);
  if (step.release) in_.stage.orchestrator.turn(in_.iid)?.release();
  if (step.pause !== undefined) await new Promise((resolve) => setTimeout(resolve, step.pause));
  if (step.admit) await admit(in_, step.admit, as, expect as AnswerExpected | undefined);
  if (step.call) keep(in_, as, await judged(in_, in_.call(step.call), expect as AnswerExpected | undefined));
  if (step.abort) {
    const call = { method: 'POST', path: `/agents/${in_.agent}/${in_.iid}/abort`, json: step.abort };
    keep(in_, as, await judged(in_, in_.call(call), { status: 200, ...(expect as AnswerExpected) }));
  }
  if (step.history) {
    const call = { path: `/agents/${in_.agent}/${in_.iid}?view=history` };
    keep(in_, as, await judged(in_, in_.call(call), { status: 200, body: expect }));
  }
  if (step.follow) await follow(in_, step.follow, as, expect);
  if (step.wait) await wait(in_, step.wait);
  if (step.arrived) await arrived(in_, step.arrived);
  await control(in_, step);
  if (step.run !== undefined) await programs[step.run]?.(in_);
}

async function control(in_: Conversation, step: Step): Promise<void> {
  const { process } = in_.host;
  if (!process) return;
  if (step.signal) process.signal(step.signal);
  if (step.kill) await process.kill();
  if (step.exit !== undefined) {
    const code = await process.exit(patience);
    const did = code === 'late' ? `did not end within ${patience} ms` : `ended with code ${code}`;
    if (code !== step.exit) in_.wrong(did, `end by itself with code ${step.exit}`);
  }
  if (step.wipe) process.wipe();
  if (step.start) {
    await process.start(step.start);
    const ready = async () => (await in_.call({ path: '/readyz' })).status === 204;
    if (!(await until(ready, patience))) in_.wrong('was not ready in time after its start', 'be', 'TW-GEN-024');
  }
}

async function admit(
  in_: Conversation,
  admission: Admission,
  as: string | undefined,
  expect?: AnswerExpected,
): Promise<void> {
  const copies = Array.from({ length: admission.copies ?? 1 }, () => in_.admit(admission));
  const wanted = expect ?? { status: 202 };
  const answers = await Promise.all(copies.map((copy) => judged(in_, copy, wanted)));
  const [first] = answers;
  const { submissionId, streamUrl, offset } = (first?.json ?? {}) as Record<string, unknown>;
  if (as !== undefined) in_.known[as] = { ...first, submissionId, streamUrl, offset, answers };
  // What was to be admitted and was not leaves nothing to look at.
  if (expect === undefined && first?.status !== 202) throw new CaseOver('not admitted');
}

/** An answer against what is expected of it. */
async function judged(in_: Conversation, asked: Promise<Answer>, expect: AnswerExpected = {}): Promise<Answer> {
  const answer = await asked;
  const { withinMs, afterMs, status, code, headers, body, text } = expect;
  const wanted = {
    ...(status === undefined ? {} : { status }),
    ...(headers === undefined ? {} : { headers }),
    ...(body === undefined ? {} : { json: body }),
    ...(text === undefined ? {} : { text }),
    ms: { $atLeast: afterMs ?? 0, $atMost: withinMs ?? Number.POSITIVE_INFINITY },
  };
  const wrong = unexpected(answer, wanted);
  if (wrong) in_.wrong(wrong.did, wrong.should);
  const said = answer.headers['turnwire-code'];
  if (code !== undefined && mismatch(code, said) !== undefined)
    in_.wrong(`answered ${nameOf(answer)} ${answer.status} ${said}`, `answer ${JSON.stringify(code)}`);
  return answer;
}

const keep = (in_: Conversation, as: string | undefined, answer: Answer): void => {
  if (as !== undefined) in_.known[as] = answer;
};

interface Ended {
  readonly outcome?: unknown;
  readonly code?: unknown;
  readonly message?: unknown;
  readonly types?: unknown;
  readonly records?: unknown;
}

async function follow(
  in_: Conversation,
  { of, from, withinMs = patience }: Follow,
  as: string | undefined,
  expect: unknown,
): Promise<void> {
  const { streamUrl, submissionId } = (in_.known[of] ?? {}) as { streamUrl?: string; submissionId?: string };
  const read = await readToEnd(in_, String(streamUrl), from, withinMs);
  if (as !== undefined) in_.known[as] = read;
  if (read.problem !== undefined) in_.wrong(`gave a stream so that ${read.problem}`, 'give it to its end');
  else streamRules(in_, read, String(submissionId));
  const last = read.records.at(-1) as { outcome?: string; error?: { code?: string; message?: string } } | undefined;
  const { code, message } = last?.error ?? {};
  const types = read.records.map(({ type }) => type);
  const seen: Ended = { outcome: last?.outcome, code, message, types, records: read.records };
  const wrong = difference(expect ?? { outcome: 'completed' }, seen);
  if (wrong) in_.wrong(`gave a Submission of which ${wrong.was}`, `end it so that ${wrong.should}`);
}

async function wait(in_: Conversation, wanted: WaitFor): Promise<void> {
  const { orchestrator, model } = in_.stage;
  const count = (operation: string) => orchestrator.of(in_.iid).filter((each) => each.operation === operation).length;
  const enough = async (): Promise<boolean> =>
    (wanted.model === undefined || model.of(in_.iid).length >= wanted.model) &&
    (wanted.picks === undefined || count('pick') >= wanted.picks) &&
    (wanted.polls === undefined || count('poll') >= wanted.polls) &&
    (wanted.surfaces === undefined || count('surface') >= wanted.surfaces) &&
    (wanted.messages === undefined || (await messagesOf(in_)) >= wanted.messages) &&
    (wanted.state === undefined || (await stateOf(in_, wanted.of)) === wanted.state);
  const { withinMs = patience } = wanted;
  if (await until(enough, withinMs)) return;
  in_.wrong(`did not come to ${JSON.stringify(wanted)} within ${withinMs} ms`, 'come to it');
  throw new CaseOver('waited in vain');
}

async function messagesOf(in_: Conversation): Promise<number> {
  const { json } = await in_.call({ path: `/agents/${in_.agent}/${in_.iid}?view=history` });
  return ((json ?? {}) as { messages?: unknown[] }).messages?.length ?? 0;
}

async function stateOf(in_: Conversation, of: string | undefined): Promise<string | undefined> {
  const { submissionId } = (in_.known[of ?? ''] ?? {}) as { submissionId?: string };
  const { json } = await in_.call({ path: `/agents/${in_.agent}/${in_.iid}?view=history` });
  const { submissions = [] } = (json ?? {}) as { submissions?: { submissionId: string; state: string }[] };
  const found = of === undefined ? submissions.at(-1) : submissions.find((each) => each.submissionId === submissionId);
  return found?.state;
}

async function arrived(in_: Conversation, wanted: Arrived): Promise<void> {
  if (wanted.afterMs !== undefined) await new Promise((resolve) => setTimeout(resolve, wanted.afterMs));
  const requests = in_.stage.model.of(in_.iid).map(({ body }) => seenByModel(body as unknown as ChatBody));
  const surface = in_.stage.orchestrator.of(in_.iid);
  const of = (operation: string) => surface.filter((each) => each.operation === operation);
  const seen = { model: requests, picks: in_.stage.orchestrator.turn(in_.iid)?.deliveries ?? [], requests: surface };
  const results = wanted.results === undefined ? undefined : await resultsOf(in_);
  const all: Record<string, unknown> = { results, ...seen, surfaces: of('surface'), polls: of('poll') };
  for (const [what, expected] of Object.entries(wanted)) {
    if (!(what in all)) continue;
    const wrong = difference(expected, all[what], what);
    if (wrong) in_.wrong(`sent the kit requests of which ${wrong.was}`, `send them so that ${wrong.should}`);
  }
  const tools = new Set(requests.map((each) => each.tools));
  if (wanted.sameTools && tools.size !== 1)
    in_.wrong(`told the model ${tools.size} different menus`, 'keep it byte for byte', 'TW-TRN-003');
}

/** What each tool call was answered, as the history has it. */
async function resultsOf(in_: Conversation): Promise<string[]> {
  const { json } = await in_.call({ path: `/agents/${in_.agent}/${in_.iid}?view=history` });
  const { messages = [] } = (json ?? {}) as { messages?: { parts: { type: string; text?: string }[] }[] };
  const parts = messages.flatMap((message) => message.parts).filter(({ type }) => type === 'tool-result');
  return parts.map(({ text = '' }) => text);
}

interface ChatBody {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly { readonly function?: { readonly name?: string } }[];
  readonly max_tokens?: number;
}

function seenByModel({ model, messages, tools = [], max_tokens }: ChatBody) {
  const of = (role: string) => messages.filter((each) => each.role === role).map(({ content }) => contentText(content));
  return {
    model,
    system: of('system').join('\n'),
    users: of('user'),
    last: of('user').at(-1),
    results: of('tool'),
    roles: messages.map(({ role }) => role),
    tools: JSON.stringify(tools),
    toolNames: tools.map((tool) => tool.function?.name),
    toolSchemas: tools.map((tool) => (tool.function as { parameters?: unknown } | undefined)?.parameters),
    maxTokens: max_tokens,
  };
}
