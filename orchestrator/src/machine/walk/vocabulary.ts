/** Findings about events: each one named is defined, has a name that a tool may have, and an input that JSON Schema can say. */
import type { z } from 'zod';
import { reasonOf } from '../json.ts';
import { inputSchemaOf } from '../menu.ts';
import { type AnyNode, descriptorsOf } from '../nodes.ts';
import type { Finding, WorkflowEvent } from '../port.ts';
import { finding, type Subject } from './subject.ts';

/** What every model provider takes as the name of a tool. */
const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;
const FAULT = 'agent.fault.';

export function vocabularyFindings(subject: Subject): Finding[] {
  const named = subject.nodes.flatMap((node) =>
    [...node.transitions.keys()].flatMap((descriptor) => descriptorFinding(subject, node, descriptor)),
  );
  const twice = subject.defined.filter(
    ({ name }, index) => subject.defined.findIndex((other) => other.name === name) !== index,
  );
  return [
    ...subject.defined.flatMap((event) => [
      ...nameFinding(subject, firstUse(subject, event.name), event.name),
      ...definitionFindings(subject, event),
    ]),
    ...twice.map(({ name }) =>
      finding(
        subject,
        'event_defined_twice',
        firstUse(subject, name),
        `the event '${name}' is defined twice`,
        'Keep one definition of it',
        name,
      ),
    ),
    ...named,
  ];
}

function firstUse(subject: Subject, name: string): AnyNode | undefined {
  return subject.nodes.find((node) => descriptorsOf(node).includes(name));
}

function descriptorFinding(subject: Subject, node: AnyNode, descriptor: string): Finding[] {
  if (descriptor.startsWith('xstate.') || descriptor === 'agent.*' || descriptor === `${FAULT}*`) return [];
  const slot = descriptor.startsWith(FAULT) ? descriptor.slice(FAULT.length) : undefined;
  if (slot !== undefined && slot in subject.agents) return [];
  if (slot !== undefined) {
    return [
      finding(
        subject,
        'event_undefined',
        node,
        `it takes '${descriptor}', and there is no Agent '${slot}'`,
        `Name one of its Agents (${Object.keys(subject.agents).join(', ')}) or take '${FAULT}*'`,
        descriptor,
      ),
    ];
  }
  // One that is defined has had its name looked at with its definition.
  if (descriptor in subject.events) return [];
  const misnamed = nameFinding(subject, node, descriptor);
  if (misnamed.length > 0) return misnamed;
  return [
    finding(
      subject,
      'event_undefined',
      node,
      `it takes the event '${descriptor}', which has no definition`,
      `Define it with defineEvent({ name: '${descriptor}', … }) and list it under \`events\``,
      descriptor,
    ),
  ];
}

function nameFinding(subject: Subject, node: AnyNode | undefined, name: string): Finding[] {
  if (name.includes('*')) {
    return [
      finding(
        subject,
        'event_name_wildcard',
        node,
        `'${name}' is a wildcard, and an event has one name`,
        'Name each event that the state takes',
        name,
      ),
    ];
  }
  if (/^(agent|xstate)(\.|$)/.test(name)) {
    return [
      finding(
        subject,
        'event_name_reserved',
        node,
        `the event name '${name}' is reserved`,
        "Choose a name that does not begin with 'agent.' or 'xstate.'",
        name,
      ),
    ];
  }
  if (TOOL_NAME.test(name)) return [];
  return [
    finding(
      subject,
      'event_name_invalid',
      node,
      `the event name '${name}' is not a valid tool name`,
      'Use 1 to 64 letters, digits, underscores or hyphens',
      name,
    ),
  ];
}

function definitionFindings(subject: Subject, event: WorkflowEvent): Finding[] {
  const node = firstUse(subject, event.name);
  try {
    const { type } = inputSchemaOf(event.input);
    if (event.by !== 'agent' || type === undefined || type === 'object') return [];
    return [
      finding(
        subject,
        'event_schema',
        node,
        `the input of the agent event '${event.name}' is a ${String(type)}, and a tool takes an object`,
        'Make it a z.object({ … }) with that value as a field',
        event.name,
      ),
    ];
  } catch (error) {
    return [
      finding(
        subject,
        'event_schema',
        node,
        `the input of the event '${event.name}' has no JSON Schema form (${reasonOf(error)})`,
        'Use zod types that JSON can carry: objects, arrays, strings, numbers, booleans, enums',
        event.name,
      ),
    ];
  }
}

export function inputFindings(subject: Subject, schema: z.ZodType): Finding[] {
  try {
    inputSchemaOf(schema);
    return [];
  } catch (error) {
    return [
      finding(
        subject,
        'input_schema',
        undefined,
        `the run's input has no JSON Schema form (${reasonOf(error)})`,
        'Give setup an `input` of zod types that JSON can carry',
      ),
    ];
  }
}
