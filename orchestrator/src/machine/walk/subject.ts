/** What the walk looks at, and how it words what it finds. */
import type { AnyStateMachine } from 'xstate';
import { nodesOf } from '../hosted.ts';
import { type AnyNode, pathOf } from '../nodes.ts';
import type { AgentDefinition, Finding, WorkflowEvent } from '../port.ts';

export interface Subject {
  name: string;
  machine: AnyStateMachine;
  nodes: AnyNode[];
  events: Record<string, WorkflowEvent>;
  /** As written: the same name twice is one of the findings. */
  defined: readonly WorkflowEvent[];
  agents: Record<string, AgentDefinition>;
}

export function subjectOf(
  name: string,
  machine: AnyStateMachine,
  defined: readonly WorkflowEvent[],
  agents: Record<string, AgentDefinition>,
): Subject {
  const events = Object.fromEntries(defined.map((event) => [event.name, event]));
  return { name, machine, nodes: nodesOf(machine), events, defined, agents };
}

/** Each message names the workflow, the state, what is wrong there, and the remedy (TW-AUT-011). */
export function finding(
  subject: Subject,
  code: string,
  node: AnyNode | undefined,
  wrong: string,
  remedy: string,
  event?: string,
): Finding {
  const state = pathOf(node ?? (subject.machine.root as unknown as AnyNode));
  const message = `workflow '${subject.name}', state '${state}': ${wrong}. ${remedy}.`;
  return { code, state, ...(event !== undefined && { event }), message };
}
