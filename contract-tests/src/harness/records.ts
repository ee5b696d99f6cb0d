/** Reads a Submission's stream to its end, like every reader, and holds what comes against the rules of every stream. */
import type { Conversation } from './conversation.ts';
import { document } from './validity.ts';
import { type Answer, NoAnswer } from './wire.ts';

export interface StreamRecord {
  readonly type: string;
  readonly submissionId: string;
  readonly at: string;
  readonly [field: string]: unknown;
}

export interface Read {
  readonly records: StreamRecord[];
  /** Why the reading ended before the stream was closed. */
  readonly problem?: string;
}

/** From an offset (or the start) to `Stream-Closed`, by catch-up and long-polls; a lost connection is dialled again. */
export async function readToEnd(
  in_: Conversation,
  streamUrl: string,
  from: string | undefined,
  withinMs: number,
): Promise<Read> {
  const records: StreamRecord[] = [];
  const deadline = performance.now() + withinMs;
  let offset = from;
  while (performance.now() < deadline) {
    const live = offset === undefined ? '' : `&live=long-poll&offset=${offset}`;
    const answer = await ask(in_, here(in_, streamUrl) + live);
    if (!answer) continue;
    if (answer.status !== 200 && answer.status !== 204) return { records, problem: `it was answered ${answer.status}` };
    if (answer.status === 200) records.push(...(answer.json as StreamRecord[]));
    const next = answer.headers['stream-next-offset'];
    if (next === undefined) return { records, problem: 'an answer had no Stream-Next-Offset' };
    offset = next;
    if (answer.headers['stream-closed'] === 'true') return { records };
  }
  return { records, problem: `it was not closed within ${withinMs} ms` };
}

async function ask(in_: Conversation, url: string): Promise<Answer | undefined> {
  try {
    return await in_.call({ url });
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    await new Promise((resolve) => setTimeout(resolve, 50));
    return undefined;
  }
}

/** The same stream at the address where the subject is now: one that was started again may have another port. */
function here({ host }: Conversation, streamUrl: string): string {
  return streamUrl.replace(/^[a-z]+:\/\/[^/]+/, host.url);
}

/** The codes of a Settlement that is not `completed`, of the document. */
const settlementCodes = new Set(document.schemaNamed('SettlementCode').enum);

/** What holds of every Submission's stream, whatever its case is about. */
export function streamRules(in_: Conversation, { records }: Read, submissionId: string): void {
  const settled = records.filter(({ type }) => type === 'submission.settled');
  if (settled.length !== 1 || records.at(-1)?.type !== 'submission.settled') {
    const did = `gave ${settled.length} settlements, the last record being ${records.at(-1)?.type ?? 'none'}`;
    in_.wrong(did, 'end each Submission with exactly one, as its last record', 'TW-STR-030');
  }
  const { outcome, error } = (settled[0] ?? {}) as { outcome?: string; error?: { code?: string } };
  if (outcome !== undefined && outcome !== 'completed' && !settlementCodes.has(error?.code ?? ''))
    in_.wrong(`settled ${outcome} with the code ${error?.code}`, 'name one of the settlement codes', 'TW-STR-036');
  const foreign = records.find((record) => record.submissionId !== submissionId);
  if (foreign) in_.wrong('gave a record of another Submission', 'give those of this one alone', 'TW-STR-001');
  const started = records.filter(({ type }) => type === 'submission.started').length;
  if (started > 1) in_.wrong(`started a Submission ${started} times`, 'run it once', 'TW-ADM-004');
  const deltas = records.filter(({ type }) => type === 'message.delta').map(({ at }) => Date.parse(at));
  const dense = deltas.some((at, index) => index >= 4 && at - (deltas[index - 4] ?? 0) < 950);
  if (dense) in_.wrong('gave more than 4 deltas within a second', 'coalesce them', 'TW-STR-032');
  const secret = JSON.stringify(records);
  if (secret.includes(in_.stage.modelKey) || secret.includes(in_.stage.token))
    in_.wrong('put a credential into a record', 'keep it', 'TW-STR-035');
}
