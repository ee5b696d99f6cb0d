/** Requirements and documented answers against the checks that there are, both ways. Pure. */
import { matches } from '../faults/choose.ts';
import type { ModeCatalog } from '../catalog.ts';
import type { Operation } from './documents.ts';

export interface Exclusion {
  /** An id, or `document operation status` with `*` for any characters. */
  readonly what: string;
  readonly reason: string;
}

export type Standing = 'tested' | 'excluded' | 'not_tested';

export interface Row {
  /** A requirement's id, or `document operation status`. */
  readonly what: string;
  readonly says?: string;
  readonly level?: string;
  readonly standing: Standing;
  /** `mode check`, or `mode, in every check`. */
  readonly by: readonly string[];
  readonly reason?: string;
}

export interface Coverage {
  readonly requirements: readonly Row[];
  readonly answers: readonly Row[];
  /** What is wrong with the checks and the lists themselves, one line each. */
  readonly problems: readonly string[];
}

export interface Sources {
  readonly requirements: ReadonlyMap<string, string>;
  readonly operations: readonly Operation[];
  readonly catalogs: readonly ModeCatalog[];
  readonly exclusions: readonly Exclusion[];
}

export function coverageOf({ requirements, operations, catalogs, exclusions }: Sources): Coverage {
  const { byRequirement, byAnswer, reached, problems } = gathered(catalogs);
  for (const [id, [check]] of byRequirement)
    if (!requirements.has(id)) problems.push(`${check}: ${id} is no requirement of spec/protocol.md`);
  const used = new Set<Exclusion>();
  const row = (what: string, by: readonly string[], more: Partial<Row>): Row => {
    if (by.length > 0) return { what, ...more, standing: 'tested', by };
    const exclusion = exclusions.find((each) => matches(each.what, what));
    if (!exclusion) return { what, ...more, standing: 'not_tested', by };
    used.add(exclusion);
    return { what, ...more, standing: 'excluded', by, reason: exclusion.reason };
  };
  const rows = [...requirements].map(([id, says]) =>
    row(id, byRequirement.get(id) ?? [], { says, level: levelOf(says) }),
  );
  const answers = operations.flatMap(({ document, operationId, statuses }) =>
    statuses.map((status) => {
      const what = `${document} ${operationId} ${status}`;
      return row(what, byAnswer(what), {});
    }),
  );
  const documented = new Set(answers.map(({ what }) => what));
  for (const { pattern, check } of reached)
    if (!pattern.includes('*') && !documented.has(pattern))
      problems.push(`${check}: expects ${pattern}, which no document has`);
  for (const { what } of exclusions.filter((each) => !used.has(each)))
    problems.push(`cases/exclusions.yaml: ${what} excludes nothing that is not tested: take it out`);
  return { requirements: rows, answers, problems };
}

/** What the checks name, turned round. */
function gathered(catalogs: readonly ModeCatalog[]) {
  const byRequirement = new Map<string, string[]>();
  const reached: { pattern: string; check: string }[] = [];
  const problems: string[] = [];
  const note = (id: string, by: string) => byRequirement.set(id, [...(byRequirement.get(id) ?? []), by]);
  for (const { mode, everyCheck, checks } of catalogs) {
    for (const id of everyCheck) note(id, `${mode}, in every check`);
    for (const { id, requirements, reaches } of checks()) {
      const check = `${mode} ${id}`;
      if (requirements.length === 0) problems.push(`${check}: names no requirement: give it an id of spec/protocol.md`);
      for (const one of requirements) note(one, check);
      for (const pattern of reaches) reached.push({ pattern, check });
    }
  }
  const byAnswer = (what: string) =>
    reached.filter(({ pattern }) => pattern === what || (pattern.includes('*') && matches(pattern, what))).map(({ check }) => check);
  return { byRequirement, byAnswer, reached, problems };
}

/** The key word of a requirement's sentence. */
export const levelOf = (sentence: string): string => /\b(MUST|SHOULD|MAY)\b/.exec(sentence)?.[1]?.toLowerCase() ?? '';
