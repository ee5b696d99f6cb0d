/** The walk: what a Machine must be before it is hosted. Runs at load; a Machine with findings is refused, with all of them. */
import type { AnyStateMachine } from 'xstate';
import type { Finding, WorkflowEvent } from '../port.ts';
import type { Vocabulary } from '../vocabulary.ts';
import { agentFindings } from './agents.ts';
import { ambiguityFindings } from './ambiguity.ts';
import { brokenFindings } from './broken.ts';
import { subjectOf } from './subject.ts';
import { unsupportedFindings } from './unsupported.ts';
import { inputFindings, vocabularyFindings } from './vocabulary.ts';

export function walk(name: string, machine: AnyStateMachine, vocabulary: Vocabulary): Finding[] {
  const subject = subjectOf(name, machine, vocabulary.events as readonly WorkflowEvent[], vocabulary.agents);
  return [
    ...inputFindings(subject, vocabulary.input),
    ...vocabularyFindings(subject),
    ...agentFindings(subject),
    ...ambiguityFindings(subject),
    ...unsupportedFindings(subject),
    ...brokenFindings(subject),
  ];
}
