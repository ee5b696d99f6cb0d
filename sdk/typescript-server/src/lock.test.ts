import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { holdFolder } from './lock.ts';

describe('holdFolder', () => {
  let folder: string;
  let child: ChildProcess | undefined;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'turnwire-lock-'));
  });
  afterEach(() => {
    child?.kill('SIGKILL');
    child = undefined;
    chmodSync(folder, 0o700);
    rmSync(folder, { recursive: true });
  });

  const heldByAnother = async () => {
    const source = `
      import Database from 'better-sqlite3';
      const database = new Database(process.argv[1]);
      database.exec('BEGIN EXCLUSIVE');
      console.log('held');
      setInterval(() => {}, 1000);`;
    child = spawn(process.execPath, ['--input-type=module', '-e', source, join(folder, 'lock')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout as NodeJS.ReadableStream, 'data');
    return child;
  };

  it('holds a new folder, with files that are the owner’s alone', async () => {
    const lock = await holdFolder(join(folder, 'new'), { waitMs: 0 });
    expect(statSync(join(folder, 'new')).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, 'new/lock')).mode & 0o777).toBe(0o600);
    lock.release();
  });

  it('refuses a folder that another process holds, in one line that says what to do', async () => {
    await heldByAnother();
    let waiting = 0;
    const held = holdFolder(folder, { waitMs: 120, onWaiting: () => waiting++ });
    await expect(held).rejects.toThrow(/in use by another process; stop that one/);
    expect(waiting).toBe(1);
  });

  it('takes the folder the moment its holder is killed', async () => {
    const holder = await heldByAnother();
    const held = holdFolder(folder, { waitMs: 10_000, onWaiting: () => holder.kill('SIGKILL') });
    (await held).release();
  });

  it('holds although its holder dropped the lock', async () => {
    const source = `
      import { holdFolder } from '${new URL('./lock.ts', import.meta.url).pathname}';
      await holdFolder(process.argv[1], { waitMs: 0 });
      for (let round = 0; round < 3; round++) {
        globalThis.gc();
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      console.log('held');
      setInterval(() => {}, 1000);`;
    const args = [
      '--expose-gc',
      '--conditions=turnwire-source',
      '--import',
      'tsx',
      '--input-type=module',
      '-e',
      source,
      folder,
    ];
    child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout as NodeJS.ReadableStream, 'data');
    await expect(holdFolder(folder, { waitMs: 0 })).rejects.toThrow(/in use by another process/);
  });

  it('can be held again after it was released', async () => {
    (await holdFolder(folder, { waitMs: 0 })).release();
    (await holdFolder(folder, { waitMs: 0 })).release();
  });

  it('says so when the folder cannot be made', async () => {
    writeFileSync(join(folder, 'file'), '');
    await expect(holdFolder(join(folder, 'file/inner'), { waitMs: 0 })).rejects.toThrow(
      /cannot be written \(ENOTDIR\)/,
    );
  });
});
