/** The Python SDK's `gen/`: tables that it interprets, and the bodies of the wire as pydantic models. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { snake } from './casing.ts';
import { banner, type Tables } from './emit.ts';
import { Call, literal, literalType } from './python-literal.ts';
import type { OperationRow, SeatPolicy } from './table.ts';

/** The first line of every file. */
export const head = (sources: string): string => `# ${banner(sources)}\n`;

/** What makes `gen/` a package. */
export const pythonPackage = (): string => `${head('spec')}`;

/** The shapes of the tables. */
export function pythonTable(specFolder: string): string {
  const source = 'generate/python/table.py';
  return `${head(`spec/${source}`)}\n${readFileSync(join(specFolder, source), 'utf8')}`;
}

const row = (name: string) => (values: object) => new Call(name, values as Record<string, unknown>);
const rowsOf = (name: string, table: Readonly<Record<string, object>>) =>
  Object.fromEntries(Object.entries(table).map(([key, values]) => [key, row(name)(values)]));

function seat({ answers, ...policy }: SeatPolicy): Call {
  const { capability, neverDelivered, unknown, windowMs, attemptMs, plusPoll, answerResets } = policy;
  const rows = answers.map(row('AnswerMatch'));
  return new Call('SeatPolicy', {
    ...{ neverDelivered, unknown, answers: rows, windowMs, attemptMs, capability, plusPoll, answerResets },
  });
}

function operation({ method, path, seats, responses }: OperationRow): Call {
  const policies = Object.fromEntries(Object.entries(seats).map(([name, policy]) => [name, seat(policy)]));
  const rows = Object.entries(responses).map(([status, { means, taken, codes }]) => {
    return [status, new Call('ResponseRow', { means, taken, codes })] as const;
  });
  return new Call('OperationRow', { method, path, seats: policies, responses: Object.fromEntries(rows) });
}

const assigned = (name: string, type: string, value: unknown) => {
  const start = `${name}: ${type} = `;
  return `${start}${literal(value, '', start.length)}\n`;
};

const union = (name: string, values: readonly string[]) => `${name} = ${literalType(values, name.length + 3)}\n`;

/** A frozen record of what has a name and one value: headers, constants. */
const record = (name: string, about: string, type: string, values: Readonly<Record<string, string | number>>) =>
  `@dataclass(frozen=True)\nclass ${name}:\n    """${about}"""\n\n${Object.entries(values)
    .map(([key, value]) => `    ${snake(key)}: ${type} = ${literal(value)}\n`)
    .join('')}`;

/** The tables that the SDK interprets. */
export function pythonProtocol(tables: Tables): string {
  const { root, operations, problemCodes, texts, faults } = tables;
  const seats = [...new Set(Object.values(operations).flatMap((each) => Object.keys(each.seats)))];
  const outcomes = Object.entries(texts.outcomes).map(([code, { answers, ...rest }]) => {
    return [code, new Call('OutcomeRow', { ...rest, answers: answers?.map(row('AnswerMatch')) })] as const;
  });
  const parts = [
    `${head('spec/openapi/*.yaml, spec/outcomes.yaml and spec/faults.yaml')}
"""What the documents say beyond types: who answers, what a failure proves, when to send again, what a model is told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from .table import (
    AnswerMatch,
    AnswerRule,
    EvidenceRow,
    FaultRow,
    Ladder,
    NativeRule,
    OperationRow,
    OutcomeRow,
    ProblemRow,
    ResponseRow,
    SeatPolicy,
)
`,
    [
      union('OperationId', Object.keys(operations)),
      union('SeatName', seats),
      union('EvidenceName', Object.keys(root.evidence)),
      union('ProblemCode', Object.keys(problemCodes)),
      union('OutcomeCode', Object.keys(texts.outcomes)),
      union('TextName', Object.keys(texts.texts)),
      union('FaultCode', Object.keys(faults.faults)),
      union('FailureCategory', faults.categories),
    ].join(''),
    `\n${record('Headers', 'Header names in lower case.', 'str', root.headers)}`,
    `\n${record('Constants', 'What more than one role or language must agree on. Each name ends in its unit.', 'int', root.constants)}`,
    `\n${assigned('VERSION', 'str', root.version)}HEADERS = Headers()\nCONSTANTS = Constants()`,
    assigned('LADDER', 'Ladder', new Call('Ladder', root.ladder)).trimEnd(),
    assigned('CAUSE_DEPTH', 'int', root.causeDepth).trimEnd(),
    assigned('STAND_IN', 'str', root.custodian.standIn),
    assigned('EVIDENCE', 'Mapping[str, EvidenceRow]', rowsOf('EvidenceRow', root.evidence)).trimEnd(),
    assigned('AFTER_ABORT', 'EvidenceName', root.afterAbort).trimEnd(),
    assigned('UNEXPLAINED', 'EvidenceName', root.unexplained).trimEnd(),
    assigned('NATIVE', 'tuple[NativeRule, ...]', root.native.python.map(row('NativeRule'))).trimEnd(),
    assigned('ANSWERS', 'tuple[AnswerRule, ...]', root.answers.map(row('AnswerRule'))),
    assigned(
      'OPERATIONS',
      'Mapping[str, OperationRow]',
      Object.fromEntries(Object.entries(operations).map(([id, each]) => [id, operation(each)])),
    ),
    assigned('PROBLEM_CODES', 'Mapping[str, ProblemRow]', rowsOf('ProblemRow', problemCodes)),
    `${assigned('OUTCOMES', 'Mapping[str, OutcomeRow]', Object.fromEntries(outcomes))}"""What the model is told about a pick."""\n`,
    `${assigned('TEXTS', 'Mapping[str, str]', texts.texts)}"""The other texts that an agent reads from us; same template language."""\n`,
    `${assigned('FAULTS', 'Mapping[str, FaultRow]', rowsOf('FaultRow', faults.faults))}"""Codes of \`\`agent.fault.<slot>\`\`."""\n`,
  ];
  return parts.join('\n');
}
