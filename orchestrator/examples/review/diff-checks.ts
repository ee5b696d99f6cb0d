/** What the review workflow knows about unified diffs: whether a text is one, and what is wrong with it before anybody reads it. */
import { parsePatch } from 'diff';

export interface CheckFinding {
  check: 'hunks' | 'conflict_markers' | 'file_size' | 'path';
  file: string;
  /** Line of the diff itself, from 1. */
  line?: number;
  message: string;
}

export interface CheckReport {
  passed: boolean;
  files: string[];
  findings: CheckFinding[];
}

/** More changed lines in one file than a reviewer reads with care. */
export const MAX_CHANGED_LINES = 400;

interface Section {
  file: string;
  /** Where the section begins in the diff, from 0. */
  start: number;
  lines: string[];
}

const HUNK = /^@@ -\d+(,\d+)? \+\d+(,\d+)? @@/;
const CONFLICT = /^\+(<{7} |={7}\s*$|>{7} |\|{7} )/;

/** Whether a text is a unified diff: at least one file with its `---` and `+++` lines and a hunk header. */
export function isUnifiedDiff(text: string): boolean {
  const lines = linesOf(text);
  return lines.some((_, index) => startsFile(lines, index) && HUNK.test(lines[index + 2] ?? ''));
}

export function checkDiff(text: string): CheckReport {
  const sections = sectionsOf(text);
  const findings = sections.flatMap((section) => [
    ...hunkFindings(section),
    ...conflictFindings(section),
    ...sizeFindings(section),
    ...pathFindings(section),
  ]);
  return { passed: findings.length === 0, files: sections.map(({ file }) => file), findings };
}

function linesOf(text: string): string[] {
  return text.replace(/\r\n/g, '\n').split('\n');
}

function startsFile(lines: string[], index: number): boolean {
  return /^--- \S/.test(lines[index] ?? '') && /^\+\+\+ \S/.test(lines[index + 1] ?? '');
}

/** One section per file, so that a broken one does not hide what is wrong with the next. */
function sectionsOf(text: string): Section[] {
  const lines = linesOf(text);
  const git = lines.some((line) => line.startsWith('diff --git '));
  const starts = lines.flatMap((line, index) =>
    (git ? line.startsWith('diff --git ') : startsFile(lines, index)) ? [index] : [],
  );
  return starts.map((start, index) => sectionFrom(lines.slice(start, starts[index + 1] ?? lines.length), start));
}

function sectionFrom(lines: string[], start: number): Section {
  const header = (mark: string) =>
    lines
      .find((line) => line.startsWith(mark))
      ?.slice(mark.length)
      .split('\t')[0];
  const named = [header('+++ '), header('--- ')].find((name) => name !== undefined && name !== '/dev/null');
  const name = named ?? lines[0]?.split(' b/').at(-1) ?? '(unnamed)';
  return { file: name.replace(/^[ab]\//, ''), start, lines };
}

function hunkFindings({ file, start, lines }: Section): CheckFinding[] {
  try {
    parsePatch(lines.join('\n'));
    return [];
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const within = /line (\d+)/.exec(message)?.[1];
    return [
      {
        check: 'hunks',
        file,
        ...(within && { line: start + Number(within) }),
        message: `a hunk does not add up: ${message}`,
      },
    ];
  }
}

function conflictFindings({ file, start, lines }: Section): CheckFinding[] {
  return lines.flatMap((line, index) =>
    CONFLICT.test(line)
      ? [
          {
            check: 'conflict_markers' as const,
            file,
            line: start + index + 1,
            message: `adds a conflict marker: ${line.slice(1).trim()}`,
          },
        ]
      : [],
  );
}

function sizeFindings({ file, lines }: Section): CheckFinding[] {
  const changed = lines.filter((line) => /^[+-]/.test(line) && !/^(---|\+\+\+) /.test(line)).length;
  if (changed <= MAX_CHANGED_LINES) return [];
  return [
    {
      check: 'file_size',
      file,
      message: `changes ${changed} lines; over ${MAX_CHANGED_LINES} is more than a review can cover`,
    },
  ];
}

function pathFindings({ file }: Section): CheckFinding[] {
  if (!file.startsWith('/') && !file.split('/').includes('..')) return [];
  return [{ check: 'path', file, message: 'names a file outside of the repository' }];
}
