import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Check, Findings } from './check.ts';

/** For the tests of the checks: what a check says of a repository that has just these files. */
export async function findingsIn(check: Check, files: Readonly<Record<string, string>>): Promise<Findings> {
  const root = mkdtempSync(join(tmpdir(), 'turnwire-check-'));
  try {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content);
    }
    return await check.run(root);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

export async function problemsIn(check: Check, files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  return (await findingsIn(check, files)).problems;
}
