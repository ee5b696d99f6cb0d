/** What a chat-completions request says about the state of its conversation. Everything a rule may ask about is here. */

/** The messages of the wire, as far as a rule looks at them. */
export interface ChatMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly { readonly id?: string; readonly function?: { readonly name?: string } }[];
}

export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly { readonly function?: { readonly name?: string } }[];
  readonly stream?: boolean;
  readonly stream_options?: { readonly include_usage?: boolean } | null;
}

export interface Facts {
  readonly model: string;
  readonly tools: readonly string[];
  readonly system: string;
  readonly messages: string;
  readonly lastMessage: string;
  readonly toolResults: string;
  readonly lastToolResult: string | undefined;
  /** Answers so far, plus one. */
  readonly step: number;
  /** Names of the tools called so far, in order. */
  readonly called: readonly string[];
}

/** A text content is a string or a list of text parts. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: { text?: unknown }) => (typeof part?.text === 'string' ? part.text : '')).join('');
}

const textsOf = (messages: readonly ChatMessage[], ...roles: string[]) =>
  messages.filter((message) => roles.includes(message.role)).map((message) => contentText(message.content));

/** `after`: only what follows the newest user message holding it counts; undefined when there is none. */
export function factsOf(request: ChatRequest, after?: string): Facts | undefined {
  const from = after === undefined ? 0 : lastIndexHolding(request.messages, after);
  if (from < 0) return undefined;
  const users = textsOf(request.messages, 'user');
  const seen = request.messages.slice(from);
  const results = textsOf(seen, 'tool');
  const answers = seen.filter((message) => message.role === 'assistant');
  return {
    model: request.model,
    tools: (request.tools ?? []).map((tool) => tool.function?.name ?? ''),
    system: textsOf(request.messages, 'system', 'developer').join('\n\n'),
    messages: users.join('\n\n'),
    lastMessage: users.at(-1) ?? '',
    toolResults: results.join('\n\n'),
    lastToolResult: newestResult(seen),
    step: answers.length + 1,
    called: answers.flatMap((answer) => (answer.tool_calls ?? []).map((call) => call.function?.name ?? '')),
  };
}

function lastIndexHolding(messages: readonly ChatMessage[], after: string): number {
  return messages.findLastIndex((message) => message.role === 'user' && contentText(message.content).includes(after));
}

/** User messages after it (a restated list of allowed picks) do not hide a tool result; an answer does. */
function newestResult(messages: readonly ChatMessage[]): string | undefined {
  const last = messages.findLast((message) => message.role === 'tool' || message.role === 'assistant');
  return last?.role === 'tool' ? contentText(last.content) : undefined;
}
