/** The entry of the command as a shell sees it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { INSTANCE, type Serving, serveFake } from './api/serving.fixture.ts';

const CLI = fileURLToPath(new URL('./cli.ts', import.meta.url));
const TSX = createRequire(import.meta.url).resolve('tsx/esm');

let dir: string;
let serving: Serving;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tw-cli-'));
  mkdirSync(join(dir, 'state'));
  writeFileSync(join(dir, 'state/instance.token'), INSTANCE, { mode: 0o600 });
  serving = await serveFake();
});
afterEach(async () => {
  await serving.close();
  rmSync(dir, { recursive: true });
});

async function turnwire(stdin: string, ...argv: string[]) {
  const child = spawn(process.execPath, ['--conditions=turnwire-source', '--import', `file://${TSX}`, CLI, ...argv], {
    cwd: dir,
    env: { PATH: process.env.PATH, TURNWIRE_URL: serving.url, TURNWIRE_STATE_DIR: 'state' },
  });
  child.stdin.end(stdin);
  const [[code], out, err] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  return { code: code as number, out, err };
}

describe('turnwire', { timeout: 60_000 }, () => {
  it('reads its settings from the environment and an input from standard input', async () => {
    const { code, out, err } = await turnwire('{"title":"t","diff":"d"}', 'run', 'review', '--input', '@-', '--detach');
    expect({ code, out, err }).toEqual({ code: 0, out: 'run_1\n', err: '' });
    expect(serving.host.calls[0]?.slice(0, 3)).toEqual(['start', 'review', { title: 't', diff: 'd' }]);
  });

  it('ends with its exit code and one line', async () => {
    const { code, out, err } = await turnwire('', 'status', 'run_2');
    expect({ code, out, err }).toEqual({ code: 2, out: '', err: 'turnwire: there is no run run_2 (unknown_run)\n' });
  });

  it.runIf(existsSync('/dev/full'))('says that its output cannot be written', async () => {
    const full = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, ['--conditions=turnwire-source', '--import', `file://${TSX}`, CLI, 'check'], {
      stdio: ['ignore', full, 'pipe'],
    });
    closeSync(full);
    const [[code], err] = await Promise.all([once(child, 'close'), text(child.stderr as Readable)]);
    expect(code).toBe(1);
    expect(err).toMatch(/turnwire: the output cannot be written \(ENOSPC\)\n$/);
    expect(err).not.toMatch(/^ +at /m);
  });
});
