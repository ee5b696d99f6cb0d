import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const program = fileURLToPath(new URL('./adapter.ts', import.meta.url));

/** What the adapter answers to these lines, in any order. */
async function answers(lines: readonly string[]): Promise<Record<string, unknown>[]> {
  const child = spawn(process.execPath, ['--conditions=turnwire-source', '--import', 'tsx', program], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const said: Record<string, unknown>[] = [];
  const output = createInterface({ input: child.stdout });
  const all = new Promise<void>((resolve) => {
    output.on('line', (line) => {
      said.push(JSON.parse(line));
      if (said.length === lines.length) resolve();
    });
    child.once('exit', () => resolve());
  });
  child.stdin.write(lines.map((line) => `${line}\n`).join(''));
  await all;
  child.stdin.end();
  return said;
}

it('takes an input beside the command, members that are null, and goes on after a line that is no command', async () => {
  const refused = { code: 'ECONNREFUSED', syscall: 'connect' };
  const said = await answers([
    'no JSON',
    'null',
    JSON.stringify({ id: 'inside', command: 'classify', input: { evidence: { error: refused } } }),
    JSON.stringify({ id: 'beside', command: 'classify', evidence: { kind: null, error: refused, response: null } }),
    JSON.stringify({ id: 'nothing', command: 'classify', evidence: null }),
    JSON.stringify({ id: 'other', command: 'constructor' }),
    JSON.stringify({ id: 'last', command: 'init' }),
  ]);
  const of = (id: string) => said.find((each) => each.id === id);
  expect(said).toHaveLength(7);
  expect(said.filter(({ outcome }) => outcome === 'thrown')).toHaveLength(2);
  expect(of('inside')).toMatchObject({ certainty: 'never_delivered' });
  expect(of('beside')).toMatchObject({ certainty: 'never_delivered' });
  expect(of('nothing')).toMatchObject({ certainty: 'unknown' });
  expect(of('other')).toEqual({ id: 'other', outcome: 'unsupported' });
  expect(of('last')).toMatchObject({ language: 'typescript' });
});
