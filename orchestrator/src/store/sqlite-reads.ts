import type Database from 'better-sqlite3';
import type { NodeRecord } from '../nodes/port.ts';
import {
  type DeliveryRow,
  type ExecutionQuery,
  type ExecutionRow,
  type FeedRow,
  type IntentRow,
  type KeyRow,
  type PlacementRow,
  type RunQuery,
  type RunRow,
  StoreError,
  type TurnRow,
} from './port.ts';
import { columnOf, rowOf, type SqlRow, type TableOf } from './table.ts';
import * as tables from './tables.ts';

/** The reading half of the SQLite store. */
export abstract class SqliteReads {
  protected constructor(protected readonly database: Database.Database) {}

  protected abstract prepare(sql: string): Database.Statement;

  async liveRuns(): Promise<RunRow[]> {
    return this.#all(tables.runs, 'SELECT * FROM runs WHERE live = 1 ORDER BY started_at, run_id');
  }

  async run(runId: string): Promise<RunRow | undefined> {
    return this.#all(tables.runs, 'SELECT * FROM runs WHERE run_id = ?', runId)[0];
  }

  async runs({ workflow, status, only, except, after, limit }: RunQuery): Promise<RunRow[]> {
    const sql = `SELECT * FROM runs
      WHERE (@workflow IS NULL OR workflow = @workflow) AND (@status IS NULL OR status = @status)
        AND (@only IS NULL OR run_id IN (SELECT value FROM json_each(@only)))
        AND (@except IS NULL OR run_id NOT IN (SELECT value FROM json_each(@except)))
        AND (@startedAt IS NULL OR (started_at, run_id) < (@startedAt, @runId))
      ORDER BY started_at DESC, run_id DESC LIMIT @limit`;
    const values = {
      workflow: workflow ?? null,
      status: status ?? null,
      only: only ? JSON.stringify(only) : null,
      except: except && except.length > 0 ? JSON.stringify(except) : null,
      startedAt: after?.startedAt ?? null,
      runId: after?.runId ?? null,
      limit,
    };
    return this.guarded(() => (this.prepare(sql).all(values) as SqlRow[]).map((row) => rowOf(tables.runs, row)));
  }

  async turnOf(iid: string): Promise<TurnRow | undefined> {
    return this.#all(
      tables.turns,
      'SELECT * FROM turns WHERE iid = ? ORDER BY opened_at DESC, rowid DESC LIMIT 1',
      iid,
    )[0];
  }

  async delivery(iid: string, deliveryId: string): Promise<DeliveryRow | undefined> {
    const sql = 'SELECT * FROM deliveries WHERE iid = ? AND delivery_id = ?';
    return this.#all(tables.deliveries, sql, iid, deliveryId)[0];
  }

  async executions(runIds: readonly string[]): Promise<ExecutionRow[]> {
    const sql =
      'SELECT * FROM executions WHERE run_id IN (SELECT value FROM json_each(?)) ORDER BY started_at, execution_id';
    return this.#all(tables.executions, sql, JSON.stringify(runIds));
  }

  async execution(executionId: string): Promise<ExecutionRow | undefined> {
    return this.#all(tables.executions, 'SELECT * FROM executions WHERE execution_id = ?', executionId)[0];
  }

  async executionPage({ after, limit, ...filter }: ExecutionQuery): Promise<ExecutionRow[]> {
    const wanted = Object.entries(filter).filter(([, value]) => value !== undefined);
    // Each filter by itself: with `OR … IS NULL` no index would be used.
    const where = wanted.map(([field]) => `${columnOf(tables.executions, field)} = ?`);
    if (after) where.push('(started_at, execution_id) < (?, ?)');
    const sql = `SELECT * FROM executions ${where.length > 0 ? `WHERE ${where.join(' AND ')}` : ''}
      ORDER BY started_at DESC, execution_id DESC LIMIT ?`;
    const position = after ? [after.startedAt, after.executionId] : [];
    return this.#all(tables.executions, sql, ...wanted.map(([, value]) => value), ...position, limit);
  }

  async executionCounts(): Promise<Partial<Record<ExecutionRow['status'], number>>> {
    const sql = 'SELECT status, COUNT(*) AS count FROM executions GROUP BY status';
    const rows = this.guarded(() => this.prepare(sql).all() as { status: string; count: number }[]);
    return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
  }

  async intent(key: string): Promise<IntentRow | undefined> {
    return this.intentNow(key);
  }

  protected intentNow(key: string): IntentRow | undefined {
    return this.#all(tables.intents, 'SELECT * FROM intents WHERE key = ?', key)[0];
  }

  async key(scope: string, key: string): Promise<KeyRow | undefined> {
    return this.#all(tables.keys, 'SELECT * FROM keys WHERE scope = ? AND key = ?', scope, key)[0];
  }

  async keysOf(runId: string, key: string): Promise<KeyRow[]> {
    return this.#all(tables.keys, 'SELECT * FROM keys WHERE run_id = ? AND key = ? ORDER BY at DESC', runId, key);
  }

  async feed(after: number, runId: string | undefined, limit: number): Promise<FeedRow[]> {
    const of = runId === undefined ? '' : 'AND run_id = ?';
    const sql = `SELECT * FROM feed WHERE seq > ? ${of} ORDER BY seq LIMIT ?`;
    return this.#all(tables.feed, sql, after, ...(runId === undefined ? [] : [runId]), limit);
  }

  async lastSeq(): Promise<number> {
    const row = this.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'feed'").get() as
      | { seq: number }
      | undefined;
    return row?.seq ?? 0;
  }

  async placements(): Promise<PlacementRow[]> {
    return this.#all(tables.placements, 'SELECT * FROM placements ORDER BY placement');
  }

  async nodes(): Promise<NodeRecord[]> {
    const agents = this.#all(tables.nodeAgents, 'SELECT * FROM node_agents');
    const of = new Map(agents.map((row) => [row.nodeId, row.agents]));
    const rows = this.#all(tables.nodes, 'SELECT * FROM nodes ORDER BY node_id');
    return rows.map((row) => ({ ...row, agents: of.get(row.nodeId) ?? [] }));
  }

  #all<Row>(of: TableOf<Row>, sql: string, ...values: unknown[]): Row[] {
    return this.guarded(() => (this.prepare(sql).all(...values) as SqlRow[]).map((row) => rowOf(of, row)));
  }

  /** Whatever SQLite says, one kind of error: TW-DUR-023. */
  protected guarded<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (error instanceof StoreError) throw error;
      const { code, message } = error as { code?: string; message: string };
      throw new StoreError('unavailable', `the database failed: ${code ?? message}`, { cause: error });
    }
  }
}
