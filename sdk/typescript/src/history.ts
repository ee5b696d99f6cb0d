import { checkIid, checkSegment } from './arguments.ts';
import { ask, objectOf } from './ask.ts';
import { type Answer, headerOf } from './certainty.ts';
import type { CallOptions, Connection } from './client.ts';
import { protocol } from './gen/protocol.ts';
import type { History } from './wire.ts';

/**
 * Reads a whole conversation (seat `history`, 30 s): messages, and every Submission with its state (TW-HIS-001).
 *
 * @throws TurnwireFault `unknown_conversation`, `stream_gone`, the code of another final answer, `unreachable`, `aborted`.
 * @throws TypeError naming the argument that is wrong.
 */
export async function history(
  connection: Connection,
  of: { name: string; iid: string },
  options?: CallOptions,
): Promise<History> {
  const call = { operation: 'readConversation', path: pathOf(of), query: { view: 'history' } };
  return (await ask(connection, { seat: 'history', call, decode }, options)).value;
}

/** The end of a conversation's stream: where a wait that wants only what is new begins. */
export interface StreamTail {
  offset: string;
  /** Whether anything can still come. */
  closed: boolean;
}

/**
 * Asks where a stream ends, without its records (seat `history`, TW-STR-024).
 *
 * @param of With a `submission`, that Submission's stream; without one the whole conversation's.
 * @throws As {@link history}.
 */
export async function streamTail(
  connection: Connection,
  of: { name: string; iid: string; submission?: string },
  options?: CallOptions,
): Promise<StreamTail> {
  const query = { view: 'updates', submission: of.submission };
  const question = {
    seat: 'history',
    call: { operation: 'headConversation', path: pathOf(of), query },
    decode: tailOf,
  };
  return (await ask(connection, question, options)).value;
}

function pathOf(of: { name: string; iid: string }): { name: string; iid: string } {
  checkSegment(of.name, 'name');
  checkIid(of.iid);
  return { name: of.name, iid: of.iid };
}

function decode(answer: Answer): History | undefined {
  const body = objectOf(answer);
  const fine = body !== undefined && Array.isArray(body.messages) && Array.isArray(body.submissions);
  return fine ? (body as unknown as History) : undefined;
}

function tailOf(answer: Answer): StreamTail | undefined {
  const offset = headerOf(answer, protocol.headers.streamNextOffset);
  const closed = headerOf(answer, protocol.headers.streamClosed) === 'true';
  return offset !== undefined ? { offset, closed } : undefined;
}
