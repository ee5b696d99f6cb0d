import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recordOf } from '../executions/record.ts';
import { MemoryStore } from './memory.ts';
import { migrations } from './migrations.ts';
import { openStore } from './open.ts';
import type { ExecutionRow, Store } from './port.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'turnwire-executions-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const row = (executionId: string, startedAt: number, more: Partial<ExecutionRow> = {}): ExecutionRow => ({
  executionId,
  runId: `run-${executionId}`,
  agent: 'echo',
  turnId: 't',
  iid: 'i',
  placement: 'laptop',
  status: 'running',
  timeline: [{ status: 'queued', at: startedAt }],
  startedAt,
  ...more,
});

describe.each([
  ['memory', async () => new MemoryStore()],
  ['SQLite', () => openStore(`file:${join(folder, 'runs.db')}`, { waitMs: 1_000 })],
] as [string, () => Promise<Store>][])('executions in %s', (_, open) => {
  const whole = row('e1', 3, {
    target: 'laptop.echo',
    input: { a: [1] },
    timeoutSeconds: 1.5,
    usageContext: 'ci',
    replayOf: 'e0',
    result: null,
    instanceId: 'first',
    attempts: 2,
    status: 'succeeded',
    endedAt: 9,
  });

  it('are kept whole, listed newest first, by what is asked for, in pages, and counted (TW-EXE-025, TW-EXE-040)', async () => {
    const store = await open();
    const rows = [
      row('e2', 3),
      whole,
      row('e3', 5, { placement: 'pi', agent: 'other', status: 'failed', runId: 'run-e1' }),
    ];
    await store.commit([{ executions: rows }]);
    expect(await store.execution('e1')).toEqual(whole);
    expect(await store.execution('e9')).toBeUndefined();
    const ids = async (query: Parameters<Store['executionPage']>[0]) =>
      (await store.executionPage(query)).map(({ executionId }) => executionId);
    expect(await ids({ limit: 9 })).toEqual(['e3', 'e2', 'e1']);
    expect(await ids({ limit: 2 })).toEqual(['e3', 'e2']);
    expect(await ids({ limit: 9, after: { startedAt: 3, executionId: 'e2' } })).toEqual(['e1']);
    expect(await ids({ limit: 9, status: 'running' })).toEqual(['e2']);
    expect(await ids({ limit: 9, target: 'laptop.echo' })).toEqual(['e1']);
    expect(await ids({ limit: 9, placement: 'pi', agent: 'other' })).toEqual(['e3']);
    expect(await ids({ limit: 9, runId: 'run-e1', usageContext: 'ci' })).toEqual(['e1']);
    expect(await store.executionCounts()).toEqual({ running: 1, succeeded: 1, failed: 1 });
    store.close();
  });
});

describe('a database of before', () => {
  it('keeps its executions, and what was known of them is their timeline (TW-EXE-041)', async () => {
    const file = join(folder, 'runs.db');
    const before = new Database(file);
    const version = migrations.findIndex((sql) => sql.includes('ALTER TABLE executions'));
    for (const sql of migrations.slice(0, version)) before.exec(sql);
    before.pragma(`user_version = ${version}`);
    const insert = before.prepare(
      `INSERT INTO executions (execution_id, run_id, agent, turn_id, iid, placement, status, category, reason, started_at, ended_at)
        VALUES (?, 'r', 'coder', 't', 'i', 'local', ?, ?, ?, 1000, ?)`,
    );
    insert.run('ended', 'failed', 'agent_error', 'because', 3000);
    insert.run('live', 'running', null, null, null);
    before.close();
    const store = await openStore(`file:${file}`, { waitMs: 1_000 });
    const [live, ended] = (await store.executionPage({ limit: 9 })).map(recordOf);
    const at = (ms: number) => new Date(ms).toISOString();
    expect(ended).toMatchObject({ category: 'agent_error', reason: 'because', durationMs: 2_000 });
    expect(ended?.timeline).toEqual([
      { status: 'queued', at: at(1_000) },
      { status: 'failed', at: at(3_000) },
    ]);
    expect(live?.timeline.map(({ status }) => status)).toEqual(['queued', 'running']);
    store.close();
  });
});
