/** What `setup` leaves on a Machine for the host: its events, its Agents, and the schema of a run's input. */
import type { AnyStateMachine } from 'xstate';
import type { ZodType } from 'zod';
import type { AnyEventDefinition } from './define.ts';
import type { AgentDefinition } from './port.ts';

const VOCABULARY = Symbol.for('turnwire.vocabulary');

export interface Vocabulary {
  input: ZodType;
  events: readonly AnyEventDefinition[];
  agents: Record<string, AgentDefinition>;
}

/** It sits on the config, so that `machine.provide(…)` keeps it. */
export function withVocabulary<TConfig extends object>(config: TConfig, vocabulary: Vocabulary): TConfig {
  return { ...config, [VOCABULARY]: vocabulary };
}

export function vocabularyOf(machine: AnyStateMachine): Vocabulary | undefined {
  return (machine.config as { [VOCABULARY]?: Vocabulary })[VOCABULARY];
}

/** A Machine by its shape, whichever copy of XState made it. */
export function isMachine(value: unknown): value is AnyStateMachine {
  if (typeof value !== 'object' || value === null) return false;
  const candidate = value as { root?: unknown; implementations?: unknown; provide?: unknown };
  return (
    typeof candidate.root === 'object' &&
    typeof candidate.implementations === 'object' &&
    typeof candidate.provide === 'function'
  );
}
