/** The parts of a run in words, as `run`, `logs` and `status` say them alike. */
import type { JsonValue, RunView } from '@turnwire/sdk';
import type { FollowUp } from './follow-up.ts';
import { valueLines } from './values.ts';

export type Gate = Pick<RunView['gates'][number], 'gate' | 'gateId' | 'accepts' | 'meta'>;
export type Execution = Pick<RunView['executions'][number], 'agent' | 'status' | 'category' | 'reason'>;

/** A machine's state value on one line: `coding.checking`, `a.x + b.y` where states are parallel. */
export function stateText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null || typeof value !== 'object') return '';
  return Object.entries(value)
    .map(([key, inner]) => [key, stateText(inner)].filter(Boolean).join('.'))
    .join(' + ');
}

export function faultText({ code, state, reason }: NonNullable<RunView['fault']>): string {
  return `${code}${state ? ` in ${state}` : ''}: ${reason}`;
}

/** Why it ended so, where it says. */
export function endReason({ fault, reason }: Pick<RunView, 'fault' | 'reason'>): string {
  const why = fault ? faultText(fault) : reason;
  return why ? `: ${why}` : '';
}

export function executionText(execution: Execution): string {
  return `agent ${execution.agent} ${execution.status.replaceAll('_', ' ')}${whyText(execution)}`;
}

/** The category and the reason of a turn that failed. */
export function whyText({ status, category, reason }: Omit<Execution, 'agent'>): string {
  // `cancelled` is a status and a category.
  return `${category && category !== status ? ` (${category})` : ''}${reason ? `: ${reason}` : ''}`;
}

/** What whoever decides has to know: the gate's `meta`, and the exact command for each event that it accepts. */
export function gateLines(again: FollowUp, runId: string, gate: Gate): string[] {
  const meta = gate.meta === undefined ? [] : valueLines(gate.meta);
  return [...meta, 'answer it with', ...answerLines(again, runId, gate)];
}

/** The command for each event, with an input to fill in where it needs one. */
export function answerLines(again: FollowUp, runId: string, { gate, accepts }: Omit<Gate, 'gateId'>): string[] {
  return (accepts ?? []).map(({ name, input, description }) => {
    const sample = sampleOf(input);
    const json = sample === undefined ? [] : [JSON.stringify(sample)];
    return `${again('send', runId, gate, name, ...json)}${description ? `   # ${description}` : ''}`;
  });
}

/** A value of the right shape for each required property; undefined when nothing is required. */
function sampleOf(schema: JsonValue): JsonValue | undefined {
  const { required, properties } = schema as { required?: string[]; properties?: Record<string, { type?: string }> };
  if (!required || required.length === 0) return undefined;
  return Object.fromEntries(required.map((name) => [name, placeholder(properties?.[name]?.type)]));
}

function placeholder(type: string | undefined): JsonValue {
  switch (type) {
    case 'number':
    case 'integer':
      return 0;
    case 'boolean':
      return true;
    case 'array':
      return [];
    case 'object':
      return {};
    default:
      return '…';
  }
}
