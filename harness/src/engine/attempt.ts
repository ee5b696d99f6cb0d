import { type FinishReason, type LanguageModelUsage, streamText, type TextStreamPart, type ToolSet } from 'ai';
import { modelMessages, modelTools } from './messages.ts';
import type { ResolvedModel } from './models.ts';
import type { StepRequest, StepResult, ToolCall, Usage } from './port.ts';

/** The stream ended without the provider saying that it was finished: the connection was cut. */
export class StreamCut extends Error {
  override readonly name = 'StreamCut';
}

interface Heard {
  text: string;
  calls: ToolCall[];
  finish?: { reason: FinishReason; raw: string | undefined; usage: LanguageModelUsage };
}

type Part = TextStreamPart<ToolSet>;

/** One attempt of one step. Rejects with the provider's own error; the retry above knows what it is worth. */
export async function attemptStep(
  request: StepRequest,
  resolved: ResolvedModel,
  signal: AbortSignal,
): Promise<StepResult> {
  const result = streamText({
    model: resolved.model,
    providerOptions: resolved.providerOptions,
    system: request.system,
    messages: modelMessages(request.history),
    ...(request.tools.length > 0 && { tools: modelTools(request.tools) }),
    ...(request.maxOutputTokens !== undefined && { maxOutputTokens: request.maxOutputTokens }),
    // Retried above, where the text that was already shown can be taken back.
    maxRetries: 0,
    abortSignal: signal,
    onError: () => undefined,
  });
  const heard: Heard = { text: '', calls: [] };
  for await (const part of result.fullStream) hear(heard, part, request);
  return conclude(heard);
}

function hear(heard: Heard, part: Part, request: StepRequest): void {
  switch (part.type) {
    case 'text-delta':
      heard.text += part.text;
      request.emit({ type: 'text', text: part.text });
      return;
    case 'tool-call':
      heard.calls.push(toolCall(part));
      return;
    case 'finish-step':
      heard.finish = { reason: part.finishReason, raw: part.rawFinishReason, usage: part.usage };
      return;
    case 'error':
      throw part.error;
    case 'abort':
      throw new DOMException(part.reason ?? 'aborted', 'AbortError');
    default:
      return;
  }
}

/**
 * An unknown tool is `invalid` for the AI SDK too, with its input parsed: only an input that is no JSON is malformed
 * here, the turn loop knows the Menu.
 */
function toolCall(part: Extract<Part, { type: 'tool-call' }>): ToolCall {
  const call = { id: part.toolCallId, name: part.toolName, input: part.input as unknown };
  if (part.invalid !== true || typeof part.input !== 'string') return call;
  return { ...call, malformed: `the input is not valid JSON: ${part.input.slice(0, 200)}` };
}

function conclude(heard: Heard): StepResult {
  const finish = heard.finish;
  if (finish === undefined || (finish.raw === undefined && finish.reason === 'other')) {
    throw new StreamCut("the model's answer was cut off before its end");
  }
  return {
    parts: heard.text === '' ? [] : [{ type: 'text', text: heard.text }],
    toolCalls: heard.calls,
    usage: usageOf(finish.usage),
    ...(finish.reason === 'length' && { truncated: true }),
  };
}

function usageOf(usage: LanguageModelUsage): Usage {
  const cached = usage.inputTokenDetails.cacheReadTokens;
  return {
    inputTokens: usage.inputTokens ?? 0,
    outputTokens: usage.outputTokens ?? 0,
    ...(cached !== undefined && cached > 0 && { cachedInputTokens: cached }),
  };
}
