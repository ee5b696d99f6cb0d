/** Findings about events that two active states would take: one delivery must be one decision (TW-AUT-009). */
import { type AnyNode, canBeActiveTogether, descriptorsOf, pathOf } from '../nodes.ts';
import type { Finding } from '../port.ts';
import { finding, type Subject } from './subject.ts';

export function ambiguityFindings(subject: Subject): Finding[] {
  return Object.keys(subject.events).flatMap((name) => {
    const takers = subject.nodes.filter((node) => descriptorsOf(node).includes(name));
    return takers.flatMap((node, index) =>
      takers.slice(index + 1).flatMap((other) => together(subject, name, node, other)),
    );
  });
}

function together(subject: Subject, name: string, node: AnyNode, other: AnyNode): Finding[] {
  if (!canBeActiveTogether(node, other)) return [];
  const wrong = `it takes '${name}', and so does '${pathOf(other)}', which can be active together with it`;
  return [
    finding(subject, 'event_taken_twice', node, wrong, 'Define two events, or take it in one of the two only', name),
  ];
}
