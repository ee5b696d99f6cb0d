import { spawn } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StartError } from '@turnwire/server';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GroupCommit } from './group-commit.ts';
import { openStore } from './open.ts';
import { type RunRow, StoreError } from './port.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'turnwire-open-'));
  file = join(folder, 'runs.db');
});
afterEach(() => rmSync(folder, { recursive: true }));

const open = () => openStore(`file:${file}`, { waitMs: 0 });
const run = (runId: string): RunRow => ({
  runId,
  workflow: 'w',
  status: 'active',
  live: true,
  startedAt: 1,
  document: '{}',
});

function replaceIt(): void {
  copyFileSync(file, `${file}.new`);
  renameSync(`${file}.new`, file);
}

describe('opening the database', () => {
  it('keeps what was committed, in WAL mode and with full syncs', async () => {
    const first = await open();
    await first.commit([{ run: run('r1') }]);
    first.close();
    const second = await open();
    expect(await second.run('r1')).toEqual(run('r1'));
    second.close();
    const raw = new Database(file, { readonly: true });
    expect(raw.pragma('journal_mode', { simple: true })).toBe('wal');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    raw.close();
  });

  it('lets one process in at a time, and the next one when it is gone (TW-DUR-008)', async () => {
    const first = await open();
    await expect(open()).rejects.toThrow(StartError);
    const waiting = openStore(`file:${file}`, { waitMs: 5_000 });
    first.close();
    (await waiting).close();
  });

  it('refuses a database of a newer version and leaves every byte of it (TW-DUR-022)', async () => {
    const newer = new Database(file);
    newer.exec('CREATE TABLE t (x)');
    newer.pragma('user_version = 999');
    newer.close();
    const before = readFileSync(file);
    await expect(open()).rejects.toThrow(/newer version \(schema 999/);
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it.each([
    ['text', () => writeFileSync(file, 'this is no database, and longer than a header of one hundred bytes'.repeat(5))],
    ['a folder', () => mkdirSync(file)],
  ])('says in one line what is wrong with %s', async (_what, spoil) => {
    spoil();
    const error = await open().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StartError);
    expect((error as Error).message).toContain(file);
    expect((error as Error).message).not.toContain('\n');
  });

  it('refuses a truncated database', async () => {
    const store = await open();
    for (let n = 0; n < 50; n += 1) await store.commit([{ run: { ...run(`r${n}`), document: 'x'.repeat(4_000) } }]);
    store.close();
    truncateSync(file, 40_000);
    await expect(open()).rejects.toThrow(StartError);
  });

  it('is let go by the system when its holder is killed', async () => {
    const script = `const D = require('better-sqlite3'); require('fs').mkdirSync(process.argv[1], { recursive: true });
      const d = new D(process.argv[1] + '/lock'); d.exec('BEGIN EXCLUSIVE'); console.log('held'); setInterval(() => {}, 1000);`;
    const holder = spawn(process.execPath, ['-e', script, `${file}.lock`], { cwd: import.meta.dirname });
    await new Promise((resolve) => holder.stdout.once('data', resolve));
    await expect(open()).rejects.toThrow(/in use by another process/);
    holder.kill('SIGKILL');
    (await openStore(`file:${file}`, { waitMs: 5_000 })).close();
  });
});

describe('committing', () => {
  it.each([1, 2, 7])('keeps what was acknowledged before a SIGKILL right after commit %i', async (at) => {
    const script = join(import.meta.dirname, 'killed.fixture.ts');
    const node = ['--conditions=turnwire-source', '--import', 'tsx', script, `file:${file}`, String(at)];
    const child = spawn(process.execPath, node, { cwd: import.meta.dirname, stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    child.stdout.on('data', (chunk) => {
      said += String(chunk);
    });
    const signal = await new Promise((resolve) => child.once('close', (_code, by) => resolve(by)));
    expect(signal).toBe('SIGKILL');
    const acknowledged = said.trim().split('\n').filter(Boolean);
    expect(acknowledged).toHaveLength(at - 1);
    const store = await openStore(`file:${file}`, { waitMs: 5_000 });
    const kept = (await store.liveRuns()).map(({ runId }) => runId);
    expect(kept).toHaveLength(at);
    expect(kept).toEqual(expect.arrayContaining(acknowledged));
    store.close();
  });

  it('fences a writer whose successor has opened the database', async () => {
    const store = await open();
    const successor = new Database(file);
    successor.exec("UPDATE meta SET value = '99' WHERE name = 'epoch'");
    successor.close();
    const failure = await store.commit([{ run: run('late') }]).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StoreError);
    expect((failure as StoreError).kind).toBe('fenced');
    expect(await store.run('late')).toBeUndefined();
    store.close();
  });

  it.each([
    ['removed', () => rmSync(file)],
    ['moved away', () => renameSync(file, `${file}.old`)],
    ['replaced', () => replaceIt()],
    ['left without its log', () => rmSync(`${file}-wal`)],
  ])('acknowledges nothing once the file is %s (TW-DUR-023)', async (_, take) => {
    const store = await open();
    await store.commit([{ run: run('before') }]);
    take();
    await expect(store.commit([{ run: run('late') }])).rejects.toMatchObject({
      name: 'StoreError',
      kind: 'fenced',
      message: expect.stringMatching(/is gone, or another file is in its place$/),
    });
    expect(await store.run('late')).toBeUndefined();
    store.close();
  });

  it('steps of one tick share a transaction; one that fails fails them all, and not the next', async () => {
    const counts: number[] = [];
    const store = await openStore(`file:${file}`, { waitMs: 0, afterCommit: (count) => counts.push(count) });
    const group = new GroupCommit(store);
    await Promise.all(['a', 'b', 'c'].map((id) => group.commit({ run: run(id) })));
    expect(counts).toEqual([1]);
    expect(group.steps).toBe(3);
    const bad = { ...run('bad'), startedAt: {} as unknown as number };
    const results = await Promise.allSettled([group.commit({ run: run('d') }), group.commit({ run: bad })]);
    expect(results.map((result) => result.status)).toEqual(['rejected', 'rejected']);
    expect(await store.run('d')).toBeUndefined();
    await group.commit({ run: run('d') });
    expect(await store.run('d')).toEqual(run('d'));
    store.close();
  });
});
