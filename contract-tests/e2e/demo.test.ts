import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { envoyProgram, noEnvoy } from '../engines/envoy.ts';
import { diffs, root } from './stage.ts';

const run = promisify(execFile);

/** The number that a row of the closing table shows. */
const row = (output: string, name: string) => Number(new RegExp(`^ {2}${name} +(\\d+)`, 'm').exec(output)?.[1]);

const engines = describe.each(['node', 'envoy'] as const);

engines('the demo, its custodian on %s', (engine) => {
  it('ends with nothing lost, nothing doubled, and every budget held', { timeout: 120_000 }, async (context) => {
    if (engine === 'envoy' && envoyProgram() === undefined) return context.skip(noEnvoy);
    const args = [
      'contract-tests/demo/main.ts',
      '--input',
      `@${diffs('order-discounts.diff')}`,
      '--title',
      'Order discounts',
      '--custodian',
      engine,
    ];
    const { stdout } = await run('npx', ['tsx', ...args], { cwd: root });
    expect(stdout).toMatch(/runs that ended +4 of 4/);
    expect(row(stdout, 'lost')).toBe(0);
    expect(row(stdout, 'run twice')).toBe(0);
    expect(row(stdout, 'told untrue')).toBe(0);
    expect(row(stdout, 'admissions taken')).toBe(4);
    expect(row(stdout, 'picks taken')).toBe(row(stdout, 'transitions'));
    expect(row(stdout, 'picks taken')).toBeGreaterThanOrEqual(8);
    // The story did happen: a late start absorbed, a pick outstanding under SIGKILL, a drained Harness.
    expect(stdout).toMatch(/absorbed: seat admission, \d+ attempts in \d+ ms, last ECONNREFUSED/);
    expect(stdout).toContain('killed (SIGKILL) while the pick is outstanding');
    expect(stdout).toContain('set down what waits for the workflow, and ended with 0');
  });
});
