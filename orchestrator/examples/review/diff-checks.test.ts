import { describe, expect, it } from 'vitest';
import { checkDiff, isUnifiedDiff, MAX_CHANGED_LINES } from './diff-checks.ts';

function diffOf(file: string, hunk: string): string {
  return `--- a/${file}\n+++ b/${file}\n${hunk}\n`;
}

const table: [string, string, object[]][] = [
  ['one that is fine', diffOf('a.ts', '@@ -1,2 +1,2 @@\n one\n-two\n+three'), []],
  [
    'too few lines in a hunk',
    diffOf('a.ts', '@@ -1,3 +1,3 @@\n one\n-two\n+three'),
    [{ check: 'hunks', file: 'a.ts' }],
  ],
  ['too many lines added', diffOf('a.ts', '@@ -1,1 +1,1 @@\n-one\n+two\n+three'), [{ check: 'hunks', file: 'a.ts' }]],
  [
    'a conflict marker',
    diffOf('a.ts', '@@ -1 +1,2 @@\n one\n+<<<<<<< HEAD'),
    [{ check: 'conflict_markers', file: 'a.ts', line: 5 }],
  ],
  ['a marker that goes away', diffOf('a.ts', '@@ -1,2 +1 @@\n one\n-======='), []],
  ['a heading of seven signs', diffOf('a.md', '@@ -1 +1,2 @@\n one\n+======== two'), []],
  ['a file outside', diffOf('../../etc/passwd', '@@ -1 +1 @@\n-a\n+b'), [{ check: 'path', file: '../../etc/passwd' }]],
  [
    'too much in one file',
    diffOf('big.ts', `@@ -0,0 +1,${MAX_CHANGED_LINES + 1} @@\n${'+x\n'.repeat(MAX_CHANGED_LINES + 1).trimEnd()}`),
    [{ check: 'file_size', file: 'big.ts', message: expect.stringContaining(`${MAX_CHANGED_LINES + 1} lines`) }],
  ],
  ['a new file', 'diff --git a/n.ts b/n.ts\nnew file mode 100644\n--- /dev/null\n+++ b/n.ts\n@@ -0,0 +1 @@\n+a\n', []],
  [
    'a deleted file',
    'diff --git a/n.ts b/n.ts\ndeleted file mode 100644\n--- a/n.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n',
    [],
  ],
  ['CRLF', diffOf('a.ts', '@@ -1 +1 @@\n-a\n+b').replace(/\n/g, '\r\n'), []],
];

describe('the checks of a diff', () => {
  it.each(table)('%s', (_, diff, findings) => {
    expect(isUnifiedDiff(diff)).toBe(true);
    const report = checkDiff(diff);
    expect(report.findings).toMatchObject(findings);
    expect(report.findings).toHaveLength(findings.length);
    expect(report.passed).toBe(findings.length === 0);
  });

  it('names each file, and one that is broken does not hide the next', () => {
    const broken = diffOf('a.ts', '@@ -1,9 +1,9 @@\n one');
    const marked = diffOf('b.ts', '@@ -1 +1,2 @@\n one\n+>>>>>>> theirs');
    const report = checkDiff(broken + marked);
    expect(report.files).toEqual(['a.ts', 'b.ts']);
    expect(report.findings.map(({ check, file }) => `${check} ${file}`)).toEqual([
      'hunks a.ts',
      'conflict_markers b.ts',
    ]);
  });
});
