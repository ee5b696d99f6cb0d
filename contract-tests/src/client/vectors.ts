/** The shared vectors as checks: each goes through the adapter. */
import type { Check } from '../report/check.ts';
import type { Adapter } from './adapter.ts';
import type { AdapterResult, Introduction } from './protocol.ts';
import { canonical } from './render.ts';
import type { Mismatch } from './seen.ts';
import { type Vector, vectorsOf } from './spec.ts';

/** A check that is one command and a comparison. */
export interface VectorCheck extends Check {
  readonly command: string;
  readonly input: unknown;
  /** The feature that it needs; none: every subject needs it. */
  readonly feature?: string;
  compare(result: AdapterResult): Mismatch[];
}

/** All vectors that this subject takes: of native errors only those of its own language. */
export function vectorChecks({ vectors }: Introduction): VectorCheck[] {
  const own = classificationOf(`classification-${vectors}`);
  return [...(classificationOf('classification') ?? []), ...(own ?? []), ...ladder(), ...texts(), ...receipts()];
}

function checksOf(
  file: string,
  make: (vector: Vector) => Pick<VectorCheck, 'command' | 'input' | 'feature' | 'compare'>,
) {
  return vectorsOf(file).vectors.map((vector): VectorCheck => {
    const { says, requirements } = vector;
    return { id: `vectors/${file}/${vector.id}`, theme: 'vectors', says, requirements, level: 'must', ...make(vector) };
  });
}

function classificationOf(file: string): VectorCheck[] | undefined {
  try {
    return checksOf(file, ({ input, expected }) => ({
      command: 'classify',
      input: { evidence: input },
      compare: (result) => [
        ...differs('certainty', result.certainty, expected.certainty),
        ...differs('permanent', result.permanent ?? false, expected.permanent ?? false),
        // A subject that does not say `evidence` is not asked for it.
        ...['taken', 'code', ...(result.evidence === undefined ? [] : ['evidence'])].flatMap((name) =>
          expected[name] === undefined ? [] : differs(name, result[name], expected[name]),
        ),
      ],
    }));
  } catch {
    // A language of which the spec has no native errors (yet).
    return undefined;
  }
}

/** How a language rounds is its own business. */
const roundingMs = 1;

const ladder = () =>
  checksOf('ladder', ({ input, expected }) => ({
    command: 'ladder',
    feature: 'ladder',
    input,
    compare: (result) => {
      if (expected.exhausted === true) return differs('exhausted', result.exhausted, true);
      const wanted = (expected.delaysMs ?? [expected.delayMs]) as number[];
      const given = (result.delaysMs ?? [result.delayMs]) as unknown[];
      const close = (at: number) => Math.abs(Number(given[at]) - (wanted[at] ?? 0)) <= roundingMs;
      const fine = given.length === wanted.length && wanted.every((_, at) => close(at));
      return fine ? [] : differs('the delays', given, wanted);
    },
  }));

const texts = () =>
  checksOf('outcomes', ({ input, expected }) => ({
    command: 'text',
    feature: 'texts',
    input,
    compare: (result) => differs('the text', result.text, expected.text),
  }));

const receipts = () =>
  checksOf('receipts', ({ input, expected }) => ({
    command: 'receipt',
    feature: 'receipts',
    input,
    compare: (result) => Object.entries(expected).flatMap(([name, wanted]) => differs(name, result[name], wanted)),
  }));

function differs(what: string, actual: unknown, expected: unknown): Mismatch[] {
  const [did, should] = [canonical(actual ?? null), canonical(expected ?? null)];
  return did === should ? [] : [{ did: `says of ${what} ${did}`, should: `say ${should}` }];
}

/** Runs one vector. Rejects with `SubjectError` when the subject is gone. */
export async function runVector(adapter: Adapter, check: VectorCheck, timeoutMs: number): Promise<Mismatch[]> {
  return check.compare(await adapter.call({ command: check.command, input: check.input }, timeoutMs));
}
