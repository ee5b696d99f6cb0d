/** Reads a chat-completions request. */
import type { IncomingMessage } from 'node:http';
import type { ChatRequest } from './conversation.ts';

/** A prompt of a long conversation fits; more is a mistake. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

export async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > MAX_BODY_BYTES) throw new Error(`a request body of more than ${MAX_BODY_BYTES} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** The request, or what is wrong with it. */
export function chatRequest(body: string): ChatRequest | string {
  let value: Partial<ChatRequest>;
  try {
    value = JSON.parse(body) as Partial<ChatRequest>;
  } catch {
    return 'the body is not JSON';
  }
  if (typeof value?.model !== 'string') return 'model: must be a text';
  const messages: unknown = value.messages;
  if (!Array.isArray(messages) || messages.length === 0) return 'messages: must be a list that is not empty';
  const odd = messages.findIndex((message: { role?: unknown } | null) => typeof message?.role !== 'string');
  return odd < 0 ? (value as ChatRequest) : `messages[${odd}].role: must be a text`;
}
