import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { command } from './command.ts';

const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
});

/** A repository in which `tool` is an installed command that runs this script. */
function withTool(script: string): string {
  const root = mkdtempSync(join(tmpdir(), 'turnwire-check-'));
  roots.push(root);
  mkdirSync(join(root, 'node_modules/.bin'), { recursive: true });
  writeFileSync(join(root, 'node_modules/.bin/tool'), `#!/bin/sh\n${script}\n`);
  chmodSync(join(root, 'node_modules/.bin/tool'), 0o755);
  return root;
}

describe('a check that is a command', () => {
  it('holds when the command ends with 0, whatever it says', async () => {
    expect(await command('x', 'tool', []).run(withTool('echo fine'))).toEqual({ problems: [] });
  });

  it('says what the command said when it fails', async () => {
    const { problems } = await command('x', 'tool', ['src']).run(withTool('echo "$1 is bad"; echo why >&2; exit 1'));
    expect([...problems].sort()).toEqual(['src is bad', 'why']);
  });

  it('fails when the command says nothing, or is not installed', async () => {
    expect((await command('x', 'tool', []).run(withTool('exit 3'))).problems).toEqual([
      'tool ended with 3 and said nothing',
    ]);
    expect((await command('x', 'absent', []).run(withTool(''))).problems[0]).toContain('absent did not start');
  });
});
