/** A reply in the words of the chat-completions wire, whole or in chunks. Pure and deterministic. */
import type { ChatRequest, Facts } from './conversation.ts';
import type { Reply } from './script.ts';
import { fill, type Values } from './template.ts';

export interface FilledCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** What the model says in this step, templates filled. */
export interface Said {
  readonly id: string;
  readonly model: string;
  readonly text: string;
  readonly calls: readonly FilledCall[];
  readonly finishReason: string;
  readonly usage: Usage;
}

interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details: { readonly cached_tokens: number };
}

/** Close enough where a script does not say: a token is about four characters. */
const tokens = (text: string) => Math.ceil(text.length / 4);

const asText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

/** Ids come from the place in the conversation alone, so that a restarted server says the very same. */
export function say(reply: Reply, values: Values, request: ChatRequest): Said {
  const answers = request.messages.filter((message) => message.role === 'assistant').length;
  const text = reply.text === undefined ? '' : asText(fill(reply.text, values));
  const calls = (reply.toolCalls ?? []).map((call, index) => ({
    id: `call_${answers + 1}_${index + 1}`,
    name: call.name,
    arguments: call.rawArguments ?? JSON.stringify(fill(call.input ?? {}, values)),
  }));
  return {
    id: `chatcmpl-${answers + 1}`,
    model: request.model,
    text,
    calls,
    finishReason: reply.finishReason ?? (calls.length > 0 ? 'tool_calls' : 'stop'),
    usage: usageOf(reply, request, text + calls.map((call) => call.arguments).join('')),
  };
}

function usageOf(reply: Reply, request: ChatRequest, output: string): Usage {
  const input = reply.usage?.inputTokens ?? tokens(JSON.stringify([request.messages, request.tools ?? []]));
  const spoken = reply.usage?.outputTokens ?? tokens(output);
  return {
    prompt_tokens: input,
    completion_tokens: spoken,
    total_tokens: input + spoken,
    prompt_tokens_details: { cached_tokens: reply.usage?.cachedInputTokens ?? 0 },
  };
}

const wireCall = (call: FilledCall) => ({
  id: call.id,
  type: 'function',
  function: { name: call.name, arguments: call.arguments },
});

/** The body of an answer that is not streamed. */
export function wholeAnswer(said: Said, created: number): unknown {
  const calls = said.calls.map(wireCall);
  const message = {
    role: 'assistant',
    content: said.text === '' ? null : said.text,
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  return {
    id: said.id,
    object: 'chat.completion',
    created,
    model: said.model,
    choices: [{ index: 0, message, finish_reason: said.finishReason, logprobs: null }],
    usage: said.usage,
  };
}

/** The data of each event of a stream, without the closing `[DONE]`. Arguments come in pieces, as from real servers. */
export function chunksOf(said: Said, created: number, chunkSize: number, includeUsage: boolean): unknown[] {
  const head = { id: said.id, object: 'chat.completion.chunk', created, model: said.model };
  const chunk = (delta: unknown, finish_reason: string | null = null) => ({
    ...head,
    choices: [{ index: 0, delta, finish_reason, logprobs: null }],
  });
  const call = (index: number, more: unknown) => chunk({ tool_calls: [{ index, ...(more as object) }] });
  return [
    chunk({ role: 'assistant', content: '' }),
    ...pieces(said.text, chunkSize).map((content) => chunk({ content })),
    ...said.calls.flatMap((one, index) => [
      call(index, { id: one.id, type: 'function', function: { name: one.name, arguments: '' } }),
      ...pieces(one.arguments, chunkSize).map((piece) => call(index, { function: { arguments: piece } })),
    ]),
    chunk({}, said.finishReason),
    ...(includeUsage ? [{ ...head, choices: [], usage: said.usage }] : []),
  ];
}

/** By code points: half a character would not survive the way through UTF-8. */
function pieces(text: string, size: number): string[] {
  const characters = Array.from(text);
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, at) =>
    characters.slice(at * size, (at + 1) * size).join(''),
  );
}

/** What the conversation looks like, for the message that no rule holds. */
export const describeFacts = (facts: Facts) =>
  `step ${facts.step}, newest message ${JSON.stringify(facts.lastMessage.slice(0, 80))}, ` +
  `newest tool result ${JSON.stringify(facts.lastToolResult?.slice(0, 80) ?? null)}, called ${JSON.stringify(facts.called)}`;
