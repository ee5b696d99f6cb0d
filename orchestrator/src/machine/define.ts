/** What an author defines: the events of a Machine's vocabulary, and the Agents that it runs. */
import type { z } from 'zod';
import type { AgentDefinition, CausedBy } from './port.ts';

/** The arguments of an event's `answer`: the context at Rest, and the event as it was picked. */
export interface AnswerArgs<TEvent> {
  // biome-ignore lint/suspicious/noExplicitAny: an event is defined before the Machine whose context it will read
  context: any;
  event: TEvent;
}

/**
 * One event. It reaches the Machine as `{ type: name, input }`.
 *
 * - `by`: who may cause it. A menu offers only `agent` events (the default), a gate accepts only `outside` events, so that an
 *   Agent can never answer its own gate.
 * - `answer`: what the receipt of the pick carries back at Rest. When it throws, the receipt carries `answerError`.
 */
export interface EventDefinition<TName extends string, TInput extends z.ZodType, TBy extends CausedBy> {
  name: TName;
  description?: string;
  input: TInput;
  by: TBy;
  answer?(args: AnswerArgs<{ type: TName; input: z.output<TInput> }>): unknown;
}

export type AnyEventDefinition = EventDefinition<string, z.ZodType, CausedBy>;

/** The event object that a definition stands for. */
export type EventOf<TDefinition> =
  TDefinition extends EventDefinition<infer TName, infer TInput, CausedBy>
    ? { type: TName; input: z.output<TInput> }
    : never;

/** The one terminal event of a turn that could not be answered (TW-AUT-003). */
export interface AgentFault<TSlot extends string> {
  type: `agent.fault.${TSlot}`;
  input: { agent: string; iid: string; code: string; reason: string };
}

/** Defines one event of a Machine's vocabulary. There is no global registry: it exists where `setup` is given it. */
export function defineEvent<
  const TName extends string,
  TInput extends z.ZodType,
  const TBy extends CausedBy = 'agent',
>(definition: {
  name: TName;
  description?: string;
  input: TInput;
  by?: TBy;
  answer?(args: AnswerArgs<{ type: TName; input: z.output<TInput> }>): unknown;
}): EventDefinition<TName, TInput, TBy> {
  return { ...definition, by: definition.by ?? ('agent' as TBy) };
}

/**
 * Defines an Agent: a model (`provider/model`) with its instructions.
 *
 * - `limits`: of one turn; tool calls, tokens of one step, tokens of the turn, seconds.
 * - `placement`: where its Harness runs; the Orchestrator's own default without it.
 * - `rerunnable`: it has no effect but its picks, so a turn that was lost before any pick was taken may be run once more.
 */
export function defineAgent(definition: AgentDefinition): AgentDefinition {
  return { ...definition };
}

export type { AgentDefinition, AgentInput, AgentLimits, CausedBy, JsonValue } from './port.ts';
