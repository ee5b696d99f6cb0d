import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { parse } from 'yaml';

const require = createRequire(import.meta.url);

const read = (file: string): string => readFileSync(require.resolve(`@turnwire/spec/${file}`), 'utf8');

export interface OutcomeText {
  readonly kind: 'answer' | 'error';
  readonly text: string;
  readonly invites: boolean;
}

export interface Vector {
  readonly id: string;
  readonly says: string;
  readonly requirements: readonly string[];
  readonly input: Record<string, unknown>;
  readonly expected: Record<string, unknown>;
}

export interface VectorFile {
  readonly about: string;
  readonly language?: string;
  readonly vectors: readonly Vector[];
}

/** Texts of the outcomes of a pick, by code. */
export const outcomes: Readonly<Record<string, OutcomeText>> = parse(read('outcomes.yaml')).outcomes;

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId?: string }>>>>;
}

/** Every operation of both documents; the Orchestrator's literal paths come before the Harness's that would match them too. */
export const paths = ['orchestrator', 'harness'].flatMap((name) => {
  const document: Document = JSON.parse(read(`gen/${name}.json`));
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { operationId }]) =>
      operationId === undefined ? [] : [{ method, path, operation: operationId }],
    ),
  );
});

/** What all documents share: header names, constants, the ladder. */
export const protocol: {
  readonly headers: Readonly<Record<string, string>>;
  readonly constants: Readonly<Record<string, number>>;
  readonly ladder: { readonly rungsMs: readonly number[]; readonly floorShare: number };
  readonly custodian: {
    readonly mark: string;
    readonly standIn: string;
    readonly provingFlags: readonly string[];
    readonly connectTimeoutMs: number;
  };
} = JSON.parse(read('gen/harness.json'))['x-turnwire'];

export function vectorsOf(name: string): VectorFile {
  return JSON.parse(read(`vectors/${name}.json`));
}

/** Each requirement's sentence, by its id. */
export const requirements: ReadonlyMap<string, string> = new Map(
  [...read('protocol.md').matchAll(/^- \*\*(TW-[A-Z]{3}-\d{3})\*\* (.*)$/gm)].map(([, id = '', text = '']) => [
    id,
    text,
  ]),
);
