/** Puts a reply on the wire, the scripted trouble included. */
import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { chunksOf, type Said, wholeAnswer } from './completion.ts';
import type { ChatRequest } from './conversation.ts';
import type { Reply } from './script.ts';

/** The reply of the rule, with its delays, cuts and errors. */
export async function answer(
  response: ServerResponse,
  reply: Reply,
  said: Said,
  chat: ChatRequest,
  signal: AbortSignal,
): Promise<void> {
  const pauseFor = (ms: number | undefined) => (ms ? pause(ms, undefined, { signal }) : undefined);
  await pauseFor(reply.delayMs);
  if (reply.hang === true) return;
  if (reply.cut === 'before_headers') return void response.destroy();
  if (reply.error !== undefined) return refuseAs(response, reply.error);
  const created = Math.floor(Date.now() / 1000);
  if (chat.stream !== true) return whole(response, reply, wholeAnswer(said, created));
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  response.flushHeaders();
  if (reply.cut === 'after_headers') return void response.destroy();
  const chunks = chunksOf(said, created, reply.chunkSize ?? 24, chat.stream_options?.include_usage === true);
  for (const [index, chunk] of chunks.entries()) {
    if (await endsEarly(response, reply, index)) return;
    if (index > 0) await pauseFor(reply.chunkDelayMs);
    if (response.destroyed) return;
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  }
  response.end('data: [DONE]\n\n');
}

function whole(response: ServerResponse, reply: Reply, body: unknown): void {
  if (reply.cut === undefined) {
    json(response, 200, body);
    return;
  }
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write(JSON.stringify(body).slice(0, 20), () => response.destroy());
}

/** The cut or the error that the script wants after this many chunks. What was written before it leaves first. */
async function endsEarly(response: ServerResponse, reply: Reply, written: number): Promise<boolean> {
  if (typeof reply.cut === 'object' && reply.cut.afterChunks === written) {
    await new Promise((resolve) => response.write(': cut\n\n', resolve));
    if (reply.cut.clean === true) response.end();
    else response.destroy();
    return true;
  }
  if (reply.streamError?.afterChunks !== written) return false;
  response.end(
    `data: ${JSON.stringify({ error: { message: reply.streamError.message, type: 'server_error', code: null } })}\n\n`,
  );
  return true;
}

function refuseAs(response: ServerResponse, error: NonNullable<Reply['error']>): void {
  if (error.retryAfter !== undefined) response.setHeader('retry-after', String(error.retryAfter));
  refuse(response, error.status, error.message ?? `scripted ${error.status}`, error.type ?? 'server_error', error.code);
}

export function refuse(
  response: ServerResponse,
  status: number,
  message: string,
  type: string,
  code: string | null = null,
): void {
  json(response, status, { error: { message, type, param: null, code } });
}

export function json(response: ServerResponse, status: number, body: unknown): void {
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': bytes.length });
  response.end(bytes);
}
