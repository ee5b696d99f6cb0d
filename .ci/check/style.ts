import type { Check } from './check.ts';
import { isCode, isGenerated, isTest, projectFiles, read } from './files.ts';

const maxLines = 400;
const maxTestLines = 500;
const drawers = /^(utils?|commons?|helpers?|misc|shared)(\.|$)/i;

/** What no source may hold. The words are put together so that this file does not hold them itself. */
const banned: readonly (readonly [RegExp, string])[] = [
  [new RegExp(`\\b(${'TO'}DO|${'FIX'}ME|${'XX'}X)\\b`), 'finish it, or write a decision'],
  [/\b(describe|it|test|suite)\.(only|skip|todo)\b/, 'run every test'],
  [new RegExp(`\\bas ${'any'}\\b`), 'give it a type'],
  [new RegExp(`@ts-${'ignore'}|@ts-${'nocheck'}`), 'mend the type'],
];

/** Retry evidence and windows by hand: they come from the generated table. */
const handWritten = /ECONNREFUSED|UND_ERR_|EAI_AGAIN|ENOTFOUND|\b90_?000\b|\b25_?000\b/;
const mayWriteEvidence = /^(spec|contract-tests|\.ci)\/|^sdk\/typescript\/src\/testing\//;

/** What an SDK must not know by itself: statuses that it compares with, and errnos. Its adapter speaks for the kit. */
const ofTheSpec =
  /\bstatus\b[^'"`]*[=<>]\s*[1-5]\d\d\b|\bcase [1-5]\d\d:|\[[1-5]\d\d, ?[1-5]\d\d\]|'E[A-Z]{3,}[A-Z0-9_]*'/;
const readsTheSpec = /^sdk\/typescript\/src\/(?!testing\/|adapter|limits\.ts)/;

function writtenByHand(path: string, line: string): string | undefined {
  const [evidence] = mayWriteEvidence.test(path) ? [] : (handWritten.exec(line) ?? []);
  const [status] = readsTheSpec.test(path) ? (ofTheSpec.exec(line) ?? []) : [];
  return evidence ?? status;
}

function fileProblems(path: string, source: string): string[] {
  const problems: string[] = [];
  const lines = source.split('\n');
  const cap = isTest(path) ? maxTestLines : maxLines;
  if (lines.length - 1 > cap) problems.push(`${path}: ${lines.length - 1} lines, at most ${cap}: split it by concept`);
  for (const [index, line] of lines.entries()) {
    for (const [pattern, remedy] of banned) {
      const [found] = pattern.exec(line) ?? [];
      if (found) problems.push(`${path}:${index + 1}: \`${found}\`: ${remedy}`);
    }
    const evidence = isTest(path) ? undefined : writtenByHand(path, line);
    if (evidence)
      problems.push(`${path}:${index + 1}: \`${evidence}\` by hand: take it from \`protocol\` of @turnwire/sdk`);
  }
  return problems;
}

export const style: Check = {
  name: 'style',
  run(root) {
    const files = projectFiles(root);
    const named = files
      .filter((path) => path.split('/').some((part) => drawers.test(part)))
      .map((path) => `${path}: name it by its concept, not as a drawer`);
    const code = files.filter((path) => isCode(path) && !isGenerated(path) && !path.startsWith('.ci/check/'));
    const cases = files.filter((path) => /^contract-tests\/.*cases\/.*\.ya?ml$/.test(path));
    return { problems: [...named, ...[...code, ...cases].flatMap((path) => fileProblems(path, read(root, path)))] };
  },
};
