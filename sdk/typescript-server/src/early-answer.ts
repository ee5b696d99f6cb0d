/** Answers that are given before the body was read, without a reset that would destroy them: a refusal that is lost proves nothing (TW-ADM-016). */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** After such an answer, body is read and thrown away for this long, so that no reset destroys it on its way. */
export const EARLY_ANSWER_MS = 2_000;

/**
 * Closes the connection gently when an answer begins and the request is not over yet. Whoever gives the answer: a route,
 * what stands before all routes, or the adapter that could not read the request at all.
 */
export function answerEarly(incoming: IncomingMessage, outgoing: ServerResponse): void {
  if (!hasBody(incoming)) return;
  const writeHead = outgoing.writeHead.bind(outgoing) as (...args: unknown[]) => ServerResponse;
  outgoing.writeHead = ((...args: unknown[]) => {
    if (!incoming.complete && !outgoing.headersSent) {
      outgoing.setHeader('connection', 'close');
      closeGently(incoming.socket, incoming);
    }
    return writeHead(...args);
  }) as typeof outgoing.writeHead;
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/**
 * Node destroys a socket right after its last answer, and a kernel answers bytes that nobody read with a reset. So the
 * end of the answer is a half-close here; what still comes in is read and thrown away for a while, then it is destroyed.
 */
function closeGently(socket: Socket, incoming: IncomingMessage): void {
  let closing = false;
  socket.destroySoon = () => {
    if (closing) return;
    closing = true;
    const deadline = setTimeout(() => socket.destroy(), EARLY_ANSWER_MS);
    socket.once('close', () => clearTimeout(deadline));
    // Nothing is left to be lost once the whole request was read.
    incoming.once('end', () => socket.end(() => socket.destroy()));
    incoming.resume();
    socket.end();
  };
}
