/** Findings about the states that run Agents and gates: faults have somewhere to go, and there is something to decide. */
import { z } from 'zod';
import { namedBy } from '../menu.ts';
import { type AnyNode, agentsOf, canBeActiveTogether, descriptorsOf, invokedBy, pathOf, upwards } from '../nodes.ts';
import type { AgentDefinition, Finding } from '../port.ts';
import { finding, type Subject } from './subject.ts';

/** A slot is also the Agent's name on the wire: one path segment. */
const SLOT_NAME = /^[A-Za-z0-9_-]{1,64}$/;
const count = z.number().int().positive().optional();
const definitionSchema = z.object({
  model: z.string().min(1),
  instructions: z.string(),
  limits: z
    .object({
      maxToolCalls: count,
      maxOutputTokens: count,
      maxTotalTokens: count,
      deadlineSeconds: z.number().positive().optional(),
    })
    .optional(),
  thinkingLevel: z.string().optional(),
  placement: z
    .string()
    .regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/)
    .optional(),
  rerunnable: z.boolean().optional(),
});

export function agentFindings(subject: Subject): Finding[] {
  const invoking = subject.nodes.filter((node) => agentsOf(subject.machine, node).length > 0);
  return [
    ...Object.entries(subject.agents).flatMap(([slot, definition]) => slotFindings(subject, slot, definition)),
    ...invoking.flatMap((node) => stateFindings(subject, node)),
    ...invoking.flatMap((node, index) =>
      invoking.slice(index + 1).flatMap((other) => sideBySide(subject, node, other)),
    ),
    ...subject.nodes.flatMap((node) => gateFindings(subject, node)),
  ];
}

function slotFindings(subject: Subject, slot: string, definition: AgentDefinition): Finding[] {
  const node = subject.nodes.find((candidate) => agentsOf(subject.machine, candidate).includes(slot));
  if (slot === 'gate' || !SLOT_NAME.test(slot)) {
    return [
      finding(
        subject,
        'agent_name',
        node,
        `'${slot}' cannot be the name of an Agent`,
        "Use 1 to 64 letters, digits, underscores or hyphens, and not 'gate'",
      ),
    ];
  }
  const parsed = definitionSchema.safeParse(definition);
  return (parsed.error?.issues ?? []).map(({ path, message }) =>
    finding(
      subject,
      'agent_definition',
      node,
      `the Agent '${slot}' has a wrong '${path.join('.')}' (${message})`,
      'Correct it in defineAgent',
    ),
  );
}

function stateFindings(subject: Subject, node: AnyNode): Finding[] {
  const slots = agentsOf(subject.machine, node);
  const findings: Finding[] = [];
  if (slots.length > 1) {
    findings.push(
      finding(
        subject,
        'agent_two_in_state',
        node,
        `it invokes two Agents (${slots.join(', ')})`,
        'Give each Agent a state of its own, side by side in a parallel state',
      ),
    );
  }
  for (const slot of new Set(slots)) {
    if (!upwards(node).some((above) => descriptorsOf(above).some((descriptor) => takesFault(descriptor, slot)))) {
      findings.push(
        finding(
          subject,
          'agent_fault_unhandled',
          node,
          `it invokes the Agent '${slot}', and neither it nor a state above it takes 'agent.fault.${slot}'`,
          `Add a transition for 'agent.fault.${slot}' or 'agent.fault.*'`,
          `agent.fault.${slot}`,
        ),
      );
    }
  }
  if (namedBy(node, subject.events, 'agent').length === 0) {
    findings.push(
      finding(
        subject,
        'agent_nothing_to_pick',
        node,
        `it invokes the Agent '${slots.join(', ')}' and offers it nothing to pick`,
        "Add a transition for an event with by: 'agent' to it or to a state above it",
      ),
    );
  }
  return findings;
}

function takesFault(descriptor: string, slot: string): boolean {
  return ['*', 'agent.*', 'agent.fault.*', `agent.fault.${slot}`].includes(descriptor);
}

/** `agent.fault.<slot>` could not say which of the two turns it ends. */
function sideBySide(subject: Subject, node: AnyNode, other: AnyNode): Finding[] {
  if (!canBeActiveTogether(node, other)) return [];
  const shared = agentsOf(subject.machine, node).filter((slot) => agentsOf(subject.machine, other).includes(slot));
  return shared.map((slot) =>
    finding(
      subject,
      'agent_side_by_side',
      node,
      `it can be active together with '${pathOf(other)}', and both invoke the Agent '${slot}' (not yet supported)`,
      'Define the Agent under two names, one for each',
    ),
  );
}

function gateFindings(subject: Subject, node: AnyNode): Finding[] {
  if (!invokedBy(subject.machine, node).some(({ mark }) => mark?.kind === 'gate')) return [];
  if (namedBy(node, subject.events, 'outside').length > 0) return [];
  return [
    finding(
      subject,
      'gate_without_event',
      node,
      'it waits at a gate that accepts nothing',
      "Add a transition for an event with by: 'outside'; an agent's event never opens a gate",
    ),
  ];
}
