import type { Check } from './check.ts';
import { isCode, isGenerated, isTest, projectFiles, read } from './files.ts';

const prose = 'spec/protocol.md';
const idPattern = /\bTW-[A-Z]{3}-\d{3}\b/g;
const item = /^- \*\*(TW-[A-Z]{3}-\d{3})\*\* (.*)$/;
const keyword = /\b(MUST|SHOULD|MAY|SHALL|REQUIRED|RECOMMENDED)\b/;

interface Statement {
  readonly line: number;
  readonly text: string;
}

/** Paragraphs and list items, each with its lines joined. */
function statements(markdown: string): Statement[] {
  const found: Statement[] = [];
  let open: { line: number; text: string } | undefined;
  for (const [index, line] of markdown.split('\n').entries()) {
    const begins = /^\s*([-*]|\d+\.|\|) ?/.test(line) || line.startsWith('#');
    if (line.trim() === '' || begins) open = undefined;
    if (line.trim() === '') continue;
    if (open) open.text += ` ${line.trim()}`;
    else {
      open = { line: index + 1, text: line.trim() };
      found.push(open);
    }
  }
  return found;
}

/** How many sentences of a text are normative; a sentence about the key words themselves is not. */
function normative(text: string): number {
  return text
    .split(/(?<=[.!?])\s+(?=[A-Z`*])/)
    .filter((sentence) => keyword.test(sentence) && !/RFC 2119/.test(sentence)).length;
}

function proseProblems(markdown: string): { problems: string[]; ids: Set<string> } {
  const problems: string[] = [];
  const ids = new Set<string>();
  for (const { line, text } of statements(markdown)) {
    const [, id, sentence] = item.exec(text) ?? [];
    const count = normative(sentence ?? text);
    if (id === undefined && count > 0)
      problems.push(`${prose}:${line}: give the normative sentence an id: ${text.slice(0, 80)}`);
    if (id === undefined) continue;
    if (ids.has(id)) problems.push(`${prose}:${line}: ${id} is given twice: take a free number`);
    if (count === 0) problems.push(`${prose}:${line}: ${id} requires nothing: say MUST, SHOULD or MAY`);
    if (count > 1) problems.push(`${prose}:${line}: ${id} holds ${count} normative sentences: one id each`);
    ids.add(id);
  }
  return { problems, ids };
}

const names = (path: string): boolean =>
  !path.startsWith('.ci/check/') &&
  path !== prose &&
  (isCode(path) || /\.(md|ya?ml|json)$/.test(path)) &&
  !path.endsWith('package-lock.json');

/** What counts as a test that names a requirement: tests, the vectors that tests read, and the cases of each mode. */
const proves = (path: string): boolean =>
  isTest(path) || /^(spec\/vectors|contract-tests\/cases\/[^/]+)\/.*\.(json|ya?ml)$/.test(path);

/** Ids that a file names and that do not exist, and in the documents normative lines without an id. */
function fileProblems(path: string, source: string, ids: ReadonlySet<string>): string[] {
  const isDocument = path.startsWith('spec/openapi/');
  return source.split('\n').flatMap((line, index) => {
    const named = line.match(idPattern) ?? [];
    const strangers = named.filter((id) => !ids.has(id));
    const problems = strangers.map((id) => `${path}:${index + 1}: ${id} is not in ${prose}: name one that is`);
    if (isDocument && named.length === 0 && keyword.test(line)) {
      problems.push(`${path}:${index + 1}: a normative sentence without an id: ${line.trim().slice(0, 80)}`);
    }
    return problems;
  });
}

/** Every normative sentence has an id of its own, every id that is named exists, and what no test names is listed. */
export const requirements: Check = {
  name: 'requirements',
  run(root) {
    const { problems, ids } = proseProblems(read(root, prose));
    const tested = new Set<string>();
    for (const path of projectFiles(root).filter((file) => names(file) && !isGenerated(file))) {
      const source = read(root, path);
      problems.push(...fileProblems(path, source, ids));
      if (proves(path)) for (const id of source.match(idPattern) ?? []) tested.add(id);
    }
    const untested = [...ids].filter((id) => !tested.has(id));
    const summary = `${ids.size - untested.length} of ${ids.size} requirements are named by a test or a vector`;
    return { problems, notes: untested.length === 0 ? [summary] : [`${summary}; not by any: ${untested.join(' ')}`] };
  },
};
