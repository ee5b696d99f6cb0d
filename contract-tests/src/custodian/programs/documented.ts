/** Every answer that the document gives an Orchestrator, in the words of its examples, comes through as it is. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Ask } from '../case.ts';
import type { Program } from '../programs.ts';
import { enough } from '../refusals.ts';

interface Response {
  readonly content?: Readonly<Record<string, { readonly examples?: Readonly<Record<string, { value: unknown }>> }>>;
}
interface Operation {
  readonly operationId?: string;
  readonly responses?: Readonly<Record<string, Response>>;
}

const document: { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> } = JSON.parse(
  readFileSync(createRequire(import.meta.url).resolve('@turnwire/spec/gen/custodian.json'), 'utf8'),
);

/** Those of the five routes. */
const routes: Readonly<Record<string, NonNullable<Ask['route']>>> = {
  ...{
    readSurface: 'surface',
    pick: 'pick',
    readDelivery: 'poll',
    registerNode: 'register',
    heartbeatNode: 'heartbeat',
  },
};

/** What only the Custodian says itself. */
const ownStatus = '502';

export interface Documented {
  readonly operationId: string;
  readonly route: NonNullable<Ask['route']>;
  readonly status: number;
  readonly type: string;
  readonly name: string;
  readonly value: unknown;
}

export const documentedAnswers: readonly Documented[] = Object.values(document.paths)
  .flatMap((methods) => Object.values(methods))
  .flatMap(({ operationId = '', responses = {} }) => {
    const route = routes[operationId];
    if (route === undefined) return [];
    return Object.entries(responses).flatMap(([status, { content = {} }]) =>
      status === ownStatus
        ? []
        : examplesOf(content).map((each) => ({ operationId, route, status: Number(status), ...each })),
    );
  });

function examplesOf(content: NonNullable<Response['content']>) {
  return Object.entries(content).flatMap(([type, { examples = {} }]) =>
    Object.entries(examples).map(([name, { value }]) => ({ type, name, value })),
  );
}

export const everyAnswer: Program = async (in_) => {
  for (const { operationId, route, status, type, name, value } of documentedAnswers) {
    const { code } = value as { code?: string };
    const headers = { 'content-type': type, 'turnwire-code': code ?? null, etag: '"5"', 'retry-after': '1' };
    if (in_.mismatches.length >= enough) return;
    in_.affair.plan([{ status, json: value, headers }]);
    const [answer] = (await in_.exchange({ route })).answers;
    const same =
      answer?.status === status &&
      answer.text === JSON.stringify(value) &&
      answer.headers['content-type'] === type &&
      answer.headers['turnwire-code'] === code &&
      answer.headers['retry-after'] === '1';
    const did = `passed ${operationId} ${status} ${name} on as ${answer?.status} ${answer?.text.slice(0, 80)}`;
    if (!same) in_.wrong(did, 'pass it on unchanged', 'TW-CUS-007');
  }
};
