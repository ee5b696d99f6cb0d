/** Findings about Machines that could only fail: names without an implementation, and loops that never come to rest. */
import { type AnyNode, upwards } from '../nodes.ts';
import type { Finding } from '../port.ts';
import { finding, type Subject } from './subject.ts';
import { entered } from './unsupported.ts';

export function brokenFindings(subject: Subject): Finding[] {
  return subject.nodes.flatMap((node) => [...missing(subject, node), ...loops(subject, node)]);
}

function missing(subject: Subject, node: AnyNode): Finding[] {
  const { actors, guards, delays } = subject.machine.implementations;
  const transitions = [...[...node.transitions.values()].flat(), ...(node.always ?? [])];
  const guardNames = transitions.map(
    ({ guard }) => (typeof guard === 'object' && guard !== null ? (guard as { type: string }).type : guard) as unknown,
  );
  const delayNames = node.after.map(({ delay }) => delay as unknown);
  const sources = node.invoke.map(({ src }) => src as string).filter((src) => !src.startsWith('xstate.invoke.'));
  return [
    ...absent(sources, actors).map((src) =>
      finding(
        subject,
        'actor_missing',
        node,
        `it invokes '${src}', which is not among its actors`,
        'Add it under `actors` or `agents`',
      ),
    ),
    ...absent(guardNames, guards).map((name) =>
      finding(subject, 'guard_missing', node, `its guard '${name}' has no implementation`, 'Add it under `guards`'),
    ),
    ...absent(delayNames, delays).map((name) =>
      finding(
        subject,
        'delay_missing',
        node,
        `its delay '${name}' has no implementation`,
        'Add it under `delays`, or write milliseconds',
      ),
    ),
  ];
}

function absent(names: readonly unknown[], implementations: object): string[] {
  return names.filter((name): name is string => typeof name === 'string' && !(name in implementations));
}

/** Only what is certain is refused: an `always` without a guard that comes back to itself. The rest stops at MAX_MICROSTEPS. */
function loops(subject: Subject, node: AnyNode): Finding[] {
  if (!returnsTo(node, node, [])) return [];
  return [
    finding(
      subject,
      'always_loops',
      node,
      'its `always` transition leads back to it without a guard, for ever',
      'Give it a guard, or take it on an event or after a delay',
    ),
  ];
}

function returnsTo(start: AnyNode, node: AnyNode, seen: readonly AnyNode[]): boolean {
  const always = node.always?.[0];
  if (!always || always.guard !== undefined || seen.includes(node)) return false;
  if (always.target === undefined)
    return node === start && always.actions.some((action) => (action as { type?: string }).type === 'xstate.assign');
  const next = (always.target as unknown as AnyNode[]).flatMap(entered).filter(isInnermost).flatMap(nextAlways);
  return next.some((state) => state === start || returnsTo(start, state, [...seen, node]));
}

function isInnermost(node: AnyNode): boolean {
  return node.type === 'atomic';
}

/** The innermost state with an `always`: XState asks it first, so one further up counts only where none is nearer. */
function nextAlways(leaf: AnyNode): AnyNode[] {
  return upwards(leaf)
    .filter(({ always }) => always !== undefined)
    .slice(0, 1);
}
