/** Answers that are given before the body was read, without a reset that would destroy them: a refusal that is lost proves nothing (TW-ADM-016). */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { MiddlewareHandler } from 'hono';

/** After such an answer, body is read and thrown away for this long, so that no reset destroys it on its way. */
export const EARLY_ANSWER_MS = 2_000;

/** What the Node adapter hands to Hono. */
export interface NodeBindings {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

/** Closes the connection gently when an answer is ready and the request is not over yet. */
export const earlyAnswers: MiddlewareHandler<{ Bindings: NodeBindings }> = async (c, next) => {
  await next();
  const { incoming, outgoing } = c.env;
  if (outgoing.headersSent || incoming.complete || !hasBody(incoming)) return;
  c.header('connection', 'close');
  closeGently(incoming.socket, incoming);
};

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
