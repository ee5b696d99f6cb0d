import { checkIid, checkSegment, checkText, jsonText } from './arguments.ts';
import { ask, objectOf } from './ask.ts';
import type { Answer } from './certainty.ts';
import type { CallOptions, Connection } from './client.ts';
import type { Aborted } from './wire.ts';

/** What is ended: without a fence everything, with one that Submission and those admitted before it (TW-ABT-002). */
export interface AbortInput {
  name: string;
  iid: string;
  submissionId?: string;
  turnId?: string;
  /** The Harness's capability. False when it is not known. */
  fencedAbort?: boolean;
}

/**
 * Ends what runs and what waits (seat `abort`). After doubt it is sent again only if it is fenced and the Harness honours
 * fences (TW-RET-015): without a fence a second copy would end what was admitted since. A call is a single attempt of 10 s, because
 * whoever owes an abort sends it again later; give it a `windowMs` to send it again here.
 *
 * @returns What the acknowledged abort ended.
 * @throws TurnwireFault `unknown` when a second copy is not allowed; the code of a final answer; `aborted`.
 * @throws TypeError naming the argument that is wrong.
 */
export async function abort(connection: Connection, of: AbortInput, options?: CallOptions): Promise<Aborted> {
  checkSegment(of.name, 'name');
  checkIid(of.iid);
  const { submissionId, turnId } = of;
  if (submissionId !== undefined) checkText(submissionId, 'submissionId');
  if (turnId !== undefined) checkText(turnId, 'turnId');
  const isFenced = submissionId !== undefined || turnId !== undefined;
  const fence = jsonText({ submissionId, turnId }, 'submissionId');
  const question = {
    seat: 'abort',
    call: {
      operation: 'abortConversation',
      path: { name: of.name, iid: of.iid },
      ...(isFenced ? { body: fence } : {}),
    },
    fences: { fenced: isFenced && of.fencedAbort === true },
    decode,
  };
  return (await ask(connection, question, options)).value;
}

function decode(answer: Answer): Aborted | undefined {
  const body = objectOf(answer);
  return typeof body?.aborted === 'boolean' ? { ...(body as unknown as Aborted), submissionIds: ids(body) } : undefined;
}

function ids(body: Record<string, unknown>): string[] {
  return Array.isArray(body.submissionIds) ? body.submissionIds.filter((id) => typeof id === 'string') : [];
}
