/** The embedded store: one SQLite file, WAL, every commit on the disk before it resolves. */
import type Database from 'better-sqlite3';
import { watchPlaces } from './identity.ts';
import { type RunRow, type Store, StoreError, type StoreOptions, type Writes } from './port.ts';
import { SqliteReads } from './sqlite-reads.ts';
import { cells, type TableOf } from './table.ts';
import * as tables from './tables.ts';

export class SqliteStore extends SqliteReads implements Store {
  readonly #epoch: number;
  readonly #options: StoreOptions;
  readonly #release: () => void;
  readonly #statements = new Map<string, Database.Statement>();
  readonly #misplaced: () => string | undefined;
  readonly #commitAll: (batch: readonly Writes[]) => number[][];
  #commits = 0;

  /** The database is open, migrated and held by this process alone; `release` lets it go. */
  constructor(database: Database.Database, release: () => void, options: StoreOptions = {}) {
    super(database);
    this.#options = options;
    this.#release = release;
    this.#epoch = nextEpoch(database);
    this.#misplaced = watchPlaces([database.name, `${database.name}-wal`]);
    this.#commitAll = database.transaction((batch: readonly Writes[]) => {
      this.#mustHold();
      return batch.map((writes) => this.#write(writes));
    });
  }

  async commit(batch: readonly Writes[]): Promise<number[][]> {
    this.#commits += 1;
    this.#options.beforeCommit?.(this.#commits);
    const seqs = this.guarded(() => this.#commitAll(batch));
    this.#options.afterCommit?.(this.#commits);
    return seqs;
  }

  async prune({ runsBefore, receiptsBefore }: { runsBefore: number; receiptsBefore: number }): Promise<void> {
    const ended = 'SELECT run_id FROM runs WHERE live = 0 AND ended_at < ?';
    this.guarded(() =>
      this.database.transaction(() => {
        this.#mustHold();
        for (const of of ['turns', 'deliveries', 'executions', 'intents', 'keys', 'feed']) {
          this.prepare(`DELETE FROM ${of} WHERE run_id IN (${ended})`).run(runsBefore);
        }
        this.prepare('DELETE FROM runs WHERE live = 0 AND ended_at < ?').run(runsBefore);
        this.prepare('DELETE FROM feed WHERE run_id IS NULL AND at < ?').run(runsBefore);
        // TW-DLV-006: by then nobody asks for them any more.
        this.prepare(
          `DELETE FROM deliveries WHERE iid IN (SELECT iid FROM turns WHERE ended_at < @before)
            AND turn_id IN (SELECT turn_id FROM turns WHERE ended_at < @before)`,
        ).run({ before: receiptsBefore });
        this.prepare('DELETE FROM turns WHERE ended_at < ?').run(receiptsBefore);
      })(),
    );
  }

  close(): void {
    this.database.close();
    this.#release();
  }

  /**
   * The epoch of whoever opened the database last: an older process that still lives cannot write over its successor. Nor
   * can anybody find what is written to a file that was taken away.
   */
  #mustHold(): void {
    const misplaced = this.#misplaced();
    if (misplaced !== undefined) {
      throw new StoreError('fenced', `${misplaced} is gone, or another file is in its place`);
    }
    const row = this.prepare("SELECT value FROM meta WHERE name = 'epoch'").get() as { value: string } | undefined;
    if (Number(row?.value) !== this.#epoch) {
      throw new StoreError('fenced', 'another orchestrator has taken over this database');
    }
  }

  #write(writes: Writes): number[] {
    if (writes.run) this.#putRun(writes.run);
    this.#put(tables.turns, writes.turns);
    this.#put(tables.deliveries, writes.deliveries);
    this.#put(tables.executions, writes.executions);
    this.#put(tables.intents, writes.intents);
    for (const { key, ...change } of writes.intentChanges ?? []) {
      const before = this.intentNow(key);
      if (before) this.#put(tables.intents, [{ ...before, ...change }]);
    }
    this.#put(tables.keys, writes.keys);
    this.#put(tables.placements, writes.placements);
    this.#put(tables.nodes, writes.nodes);
    this.#put(tables.nodeAgents, writes.nodeAgents);
    for (const nodeId of writes.removedNodes ?? []) {
      for (const of of ['nodes', 'node_agents']) this.prepare(`DELETE FROM ${of} WHERE node_id = ?`).run(nodeId);
    }
    const insert = this.prepare('INSERT INTO feed (run_id, type, record, at, data) VALUES (?, ?, ?, ?, ?)');
    return (writes.feed ?? []).map(({ runId, type, record, at, data }) =>
      Number(insert.run(runId ?? null, type, record, at, JSON.stringify(data)).lastInsertRowid),
    );
  }

  /** Most steps change the document alone. A row that is written whole writes its indexes again too, three pages more for each commit. */
  #putRun(run: RunRow): void {
    const same = 'run_id = ? AND workflow = ? AND status = ? AND live = ? AND started_at = ? AND ended_at IS ?';
    const { document, runId, workflow, status, live, startedAt, endedAt = null } = run;
    const update = this.prepare(`UPDATE runs SET document = ? WHERE ${same}`);
    if (update.run(document, runId, workflow, status, Number(live), startedAt, endedAt).changes === 0)
      this.#put(tables.runs, [run]);
  }

  #put<Row>(of: TableOf<Row>, rows: readonly Row[] | undefined): void {
    for (const row of rows ?? []) this.prepare(of.upsert).run(...cells(of, row));
  }

  protected override prepare(sql: string): Database.Statement {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

function nextEpoch(database: Database.Database): number {
  const sql = "UPDATE meta SET value = CAST(CAST(value AS INTEGER) + 1 AS TEXT) WHERE name = 'epoch' RETURNING value";
  return Number((database.prepare(sql).get() as { value: string }).value);
}
