import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { root } from './stage.ts';

const run = promisify(execFile);

it('nodes restart, and no execution is blamed for it: every sequence of the demo holds', {
  timeout: 420_000,
}, async () => {
  const args = ['tsx', 'contract-tests/demo/main.ts', 'restarts', '--short'];
  const { stdout } = await run('npx', args, { cwd: root }).catch((error: { stdout: string; stderr: string }) => {
    throw new Error(`${error.stdout}\n${error.stderr}`);
  });
  expect(stdout).toContain('16 of 16 sequences held');
  expect(stdout).not.toContain('NOT');
});
