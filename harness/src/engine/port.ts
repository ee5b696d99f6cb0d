/** An engine runs one step of a model: what was said so far in, text and tool calls out. It executes no tool. */
import type { MenuItem, Message, MessagePart } from '../turn/port.ts';

/** What an engine says while it works. */
export type EngineEvent =
  | { readonly type: 'text'; readonly text: string }
  /** The step was begun again after a failure: the text emitted so far is void. */
  | { readonly type: 'again'; readonly reason: string };

export interface StepRequest {
  readonly system: string;
  readonly history: readonly Message[];
  /** In this order, and unchanged for the life of the conversation. */
  readonly tools: readonly MenuItem[];
  readonly model: string;
  readonly thinkingLevel?: string;
  /** Tokens of this step's output; the engine passes it to the provider. */
  readonly maxOutputTokens?: number;
  /** The step ends within 1 s of an abort (it rejects; with what does not matter). */
  readonly signal: AbortSignal;
  emit(event: EngineEvent): void;
}

/** A tool call as the model wrote it. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** The parsed JSON, or the text as it came when `malformed` says why it is not. */
  readonly input: unknown;
  readonly malformed?: string;
}

/** Tokens of one step; 0 where the provider says nothing. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens?: number;
}

export interface StepResult {
  /** Text parts alone, in order; tool calls are in `toolCalls`. */
  readonly parts: readonly Extract<MessagePart, { type: 'text' }>[];
  readonly toolCalls: readonly ToolCall[];
  readonly usage: Usage;
  /** The output was cut at the token limit. */
  readonly truncated?: boolean;
}

export interface Engine {
  /** Rejects with an `EngineFailure` when the provider failed for good. */
  step(request: StepRequest): Promise<StepResult>;
}

/** The provider failed, retries included. The message is for people and holds no credential. */
export class EngineFailure extends Error {
  override readonly name = 'EngineFailure';
}
