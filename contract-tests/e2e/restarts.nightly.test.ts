import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { root } from './stage.ts';

const run = promisify(execFile);

it('nodes restart at full length: two minutes of saves, a port that refuses for 20 s', {
  timeout: 600_000,
}, async () => {
  const { stdout } = await run('npx', ['tsx', 'contract-tests/demo/main.ts', 'restarts'], { cwd: root });
  expect(stdout).toContain('16 of 16 sequences held');
});
