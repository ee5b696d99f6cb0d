import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { tokenCommand } from './token-commands.ts';

// As in tokens.test.ts: computed with openssl.
const KEY = '0123456789abcdef0123456789abcdef';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tw-token-'));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(dir, { recursive: true });
});

async function run(...argv: string[]) {
  const said = { out: '', err: '' };
  const command = tokenCommand(
    (text) => {
      said.out += text;
    },
    (text) => {
      said.err += text;
    },
  );
  await command.parseAsync([...argv, '--state-dir', dir], { from: 'user' });
  return said;
}

it.each([
  [['placement', 'local'], 'local.nhmgpVAUyeDRPgzj6toRRzVxgCTS75UracCyFalU5UI'],
  [['harness', 'local'], 'pDSIRMQkvwSzyzRtEtOjIhyjyvOWWzJ-FZA4SqeQihM'],
  [['harness', 'local', '--sha256'], 'xELqJgoYng7ujKswnjgolM2M_CXh4KJEmTRk13NiSHY'],
])('token %j prints the token alone', async (argv, token) => {
  writeFileSync(join(dir, 'signing.key'), `${KEY}\n`, { mode: 0o600 });
  expect(await run(...argv)).toEqual({ out: `${token}\n`, err: '' });
});

it('says on stderr that it made the key', async () => {
  const first = await run('placement', 'local');
  expect(first.err).toBe(`turnwire-orchestrator: made a new signing key, ${join(dir, 'signing.key')}\n`);
  expect(await run('placement', 'local')).toEqual({ out: first.out, err: '' });
});

it('refuses a name that is no DNS label with exit 2', async () => {
  const exit = vi.spyOn(process, 'exit').mockImplementation((code) => {
    throw new Error(`exit ${code}`);
  });
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  await expect(run('placement', 'Not_A_Label')).rejects.toThrow('exit 2');
  expect(said.mock.calls.join('')).toMatch(/^turnwire-orchestrator: /);
  expect(exit).toHaveBeenCalledTimes(1);
});
