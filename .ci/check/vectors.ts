import { parse } from 'yaml';
import type { Check } from './check.ts';
import { projectFiles, read } from './files.ts';

interface Vector {
  readonly id?: unknown;
  readonly says?: unknown;
  readonly requirements?: unknown;
  readonly input?: { readonly code?: string; readonly text?: string; readonly kind?: string };
  readonly expected?: { readonly evidence?: string };
}

function shapeProblems(path: string, vectors: readonly Vector[]): string[] {
  const seen = new Set<unknown>();
  return vectors.flatMap((vector, index) => {
    const at = `${path}: vector ${typeof vector.id === 'string' ? vector.id : index}`;
    const problems: string[] = [];
    if (typeof vector.id !== 'string' || seen.has(vector.id)) problems.push(`${at}: give it an id of its own`);
    if (typeof vector.says !== 'string' || !/[.!?]$/.test(vector.says)) problems.push(`${at}: \`says\` is a sentence`);
    if (!Array.isArray(vector.requirements) || vector.requirements.length === 0)
      problems.push(`${at}: name its requirements`);
    if (!vector.input || !vector.expected) problems.push(`${at}: give \`input\` and \`expected\``);
    seen.add(vector.id);
    return problems;
  });
}

/** Every vector is well-formed, and every outcome, text and evidence name has one. */
export const vectors: Check = {
  name: 'vectors',
  run(root) {
    const problems: string[] = [];
    const all: Vector[] = [];
    for (const path of projectFiles(root).filter((file) => /^spec\/vectors\/.*\.json$/.test(file))) {
      const { vectors: listed = [] } = JSON.parse(read(root, path)) as { vectors?: Vector[] };
      problems.push(...shapeProblems(path, listed));
      all.push(...listed);
    }
    const texts = parse(read(root, 'spec/outcomes.yaml')) as Record<'outcomes' | 'texts', object>;
    const shared = parse(read(root, 'spec/openapi/protocol-root.yaml')) as { 'x-turnwire': { evidence: object } };
    const missing = (what: string, keys: object, has: (key: string) => boolean) =>
      Object.keys(keys).flatMap((key) => (has(key) ? [] : [`spec/vectors: add a vector for the ${what} \`${key}\``]));
    problems.push(
      ...missing('outcome', texts.outcomes, (key) => all.some((vector) => vector.input?.code === key)),
      ...missing('text', texts.texts, (key) => all.some((vector) => vector.input?.text === key)),
      ...missing('evidence', shared['x-turnwire'].evidence, (key) => all.some((vector) => vector.input?.kind === key)),
    );
    return { problems, notes: [`${all.length} vectors`] };
  },
};
