/** An answer that comes before its request is over is followed by a half-close, and by no reset that would destroy it (TW-ADM-016). */
import { connect, type Socket } from 'node:net';
import { until } from '../../run/until.ts';
import type { Conversation } from '../conversation.ts';

/** Milliseconds until the answer and its half-close; and for how long what is sent after them must still be taken. */
const answerMs = 3_000;
const takenMs = 1_000;

const pieceBytes = 64 * 1024;
const bodyBytes = 8 * 1024 * 1024;
const pieceEveryMs = 20;

/** Of a Harness that drains. */
export async function earlyAnswer(in_: Conversation): Promise<void> {
  const { hostname: host, port } = new URL(in_.host.url);
  const socket = connect({ host, port: Number(port), allowHalfOpen: true });
  const heard = listen(socket);
  socket.write(headOf(in_, `${host}:${port}`));
  const piece = Buffer.alloc(pieceBytes, 'x');
  // Like whoever has not read the answer yet: it goes on sending.
  const sending = setInterval(() => heard.broken === undefined && socket.write(piece), pieceEveryMs);
  try {
    await until(() => heard.ended || heard.broken !== undefined, answerMs);
    if (heard.ended) await until(() => heard.broken !== undefined, takenMs);
  } finally {
    clearInterval(sending);
    socket.destroy();
  }
  const { text, ended, broken } = heard;
  if (!text.startsWith('HTTP/1.1 503'))
    in_.wrong(`gave ${text.slice(0, 40) || 'no answer'}`, 'answer 503', 'TW-DRN-001');
  else if (broken !== undefined) in_.wrong(`destroyed its answer (${broken})`, 'discard the rest', 'TW-ADM-016');
  else if (!ended) in_.wrong('answered and left it open', 'half-close', 'TW-ADM-016');
}

function listen(socket: Socket): { text: string; ended: boolean; broken?: string } {
  const heard: ReturnType<typeof listen> = { text: '', ended: false };
  socket.on('data', (piece: Buffer) => {
    heard.text += piece.toString('latin1');
  });
  socket.once('end', () => {
    heard.ended = true;
  });
  socket.on('error', (error: NodeJS.ErrnoException) => {
    heard.broken ??= error.code ?? error.message;
  });
  return heard;
}

function headOf({ agent, iid, stage }: Conversation, host: string): string {
  const fields = { host, authorization: `Bearer ${stage.token}`, 'content-type': 'application/json' };
  const lines = Object.entries({ ...fields, 'content-length': bodyBytes }).map(([name, value]) => `${name}: ${value}`);
  return [`POST /agents/${agent}/${iid}-c HTTP/1.1`, ...lines, '', '{"message":"'].join('\r\n');
}
