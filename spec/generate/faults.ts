import { type Document, type DocumentName, readYaml } from './sources.ts';
import { SpecError } from './spec-error.ts';
import type { FaultRow } from './table.ts';

const file = 'faults.yaml';
const keyed = ['settlements', 'answers', 'certainties'] as const;

export interface Faults {
  categories: string[];
  faults: Record<string, FaultRow>;
}

/** `faults.yaml`, checked: known categories, each given by some fault; no code in two rows; problem codes of the enum. */
export function readFaults(specFolder: string, problemCodes: ReadonlySet<string>): Faults {
  const { categories, faults } = readYaml(specFolder, file) as unknown as Faults;
  for (const by of keyed) {
    const seen = new Map<string, string>();
    for (const [code, row] of Object.entries(faults)) {
      for (const key of row[by] ?? []) {
        const other = seen.get(key);
        if (other) throw new SpecError(file, `faults.${code}.${by}`, `take out \`${key}\`: it is in ${other} already`);
        if (by === 'answers' && !problemCodes.has(key)) {
          throw new SpecError(file, `faults.${code}.answers`, `\`${key}\` is not a ProblemCode of components.yaml`);
        }
        seen.set(key, code);
      }
    }
  }
  for (const [code, { category }] of Object.entries(faults)) {
    if (!categories.includes(category))
      throw new SpecError(file, `faults.${code}.category`, `\`${category}\` is not in categories`);
  }
  const idle = categories.find((category) => !Object.values(faults).some((row) => row.category === category));
  if (idle) throw new SpecError(file, 'categories', `\`${idle}\` is given by no fault: give it or take it out`);
  return { categories, faults };
}

const enumOf = (document: Document | undefined, name: string): string[] => {
  const schemas = (document?.components as { schemas?: Record<string, { enum?: string[] }> } | undefined)?.schemas;
  return schemas?.[name]?.enum ?? [];
};

/** The table and the documents name the same settlement codes and the same failure categories. */
export function checkFaultEnums(faults: Faults, documents: ReadonlyMap<DocumentName, Document>): void {
  const settlements = Object.values(faults.faults).flatMap((row) => row.settlements ?? []);
  const pairs = [
    ['settlements', settlements, 'harness', 'SettlementCode'],
    ['categories', faults.categories, 'orchestrator', 'FailureCategory'],
  ] as const;
  for (const [path, ours, document, schema] of pairs) {
    const theirs = enumOf(documents.get(document), schema);
    const lost = theirs.find((code) => !ours.includes(code));
    if (lost) throw new SpecError(file, path, `add \`${lost}\`: ${schema} of ${document}.yaml has it`);
    const stranger = ours.find((code) => !theirs.includes(code));
    if (stranger) throw new SpecError(file, path, `\`${stranger}\` is not in ${schema} of ${document}.yaml`);
  }
}
