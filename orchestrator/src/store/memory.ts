/** A store that is gone with its process: for tests, and for those who want no file. Same contract as SQLite's. */
import type { NodeRecord } from '../nodes/port.ts';
import type {
  DeliveryRow,
  ExecutionQuery,
  ExecutionRow,
  FeedRow,
  IntentRow,
  KeyRow,
  NodeAgentsRow,
  NodeRow,
  PlacementRow,
  RunQuery,
  RunRow,
  Store,
  StoreOptions,
  TurnRow,
  Writes,
} from './port.ts';

const pair = (a: string, b: string): string => JSON.stringify([a, b]);
const copy = <T>(value: T): T => structuredClone(value);

export class MemoryStore implements Store {
  readonly #runs = new Map<string, RunRow>();
  readonly #turns = new Map<string, TurnRow>();
  readonly #deliveries = new Map<string, DeliveryRow>();
  readonly #executions = new Map<string, ExecutionRow>();
  readonly #intents = new Map<string, IntentRow>();
  readonly #keys = new Map<string, KeyRow>();
  readonly #placements = new Map<string, PlacementRow>();
  readonly #nodes = new Map<string, NodeRow>();
  readonly #nodeAgents = new Map<string, NodeAgentsRow>();
  #feed: FeedRow[] = [];
  #seq = 0;
  #commits = 0;

  constructor(readonly options: StoreOptions = {}) {}

  async commit(batch: readonly Writes[]): Promise<number[][]> {
    // Copied first: a value that cannot be copied fails the whole batch before any of it is there.
    const seqs = copy(batch).map((writes) => this.#write(writes));
    this.#commits += 1;
    this.options.beforeCommit?.(this.#commits);
    this.options.afterCommit?.(this.#commits);
    return seqs;
  }

  #write(writes: Writes): number[] {
    if (writes.run) this.#runs.set(writes.run.runId, writes.run);
    for (const row of writes.turns ?? []) this.#turns.set(row.turnId, row);
    for (const row of writes.deliveries ?? []) this.#deliveries.set(pair(row.iid, row.deliveryId), row);
    for (const row of writes.executions ?? []) this.#executions.set(row.executionId, row);
    for (const row of writes.intents ?? []) this.#intents.set(row.key, row);
    for (const change of writes.intentChanges ?? []) {
      const before = this.#intents.get(change.key);
      if (before) this.#intents.set(change.key, { ...before, ...change });
    }
    for (const row of writes.keys ?? []) this.#keys.set(pair(row.scope, row.key), row);
    for (const row of writes.placements ?? []) this.#placements.set(row.placement, row);
    this.#writeNodes(writes);
    return (writes.feed ?? []).map((frame) => {
      this.#seq += 1;
      this.#feed.push({ ...frame, seq: this.#seq });
      return this.#seq;
    });
  }

  #writeNodes({ nodes = [], nodeAgents = [], removedNodes = [] }: Writes): void {
    for (const row of nodes) this.#nodes.set(row.nodeId, row);
    for (const row of nodeAgents) this.#nodeAgents.set(row.nodeId, row);
    for (const nodeId of removedNodes) {
      this.#nodes.delete(nodeId);
      this.#nodeAgents.delete(nodeId);
    }
  }

  async liveRuns(): Promise<RunRow[]> {
    return copy([...this.#runs.values()].filter((run) => run.live).sort((a, b) => -newestFirst(a, b)));
  }

  async run(runId: string): Promise<RunRow | undefined> {
    return copy(this.#runs.get(runId));
  }

  async runs({ workflow, status, only, except, after, limit }: RunQuery): Promise<RunRow[]> {
    const rows = [...this.#runs.values()].filter(
      (run) =>
        (workflow === undefined || run.workflow === workflow) &&
        (status === undefined || run.status === status) &&
        (only === undefined || only.includes(run.runId)) &&
        !except?.includes(run.runId) &&
        (after === undefined || newestFirst(run, after) > 0),
    );
    return copy(rows.sort(newestFirst).slice(0, limit));
  }

  async turnOf(iid: string): Promise<TurnRow | undefined> {
    const turns = [...this.#turns.values()].filter((turn) => turn.iid === iid);
    return copy(turns.reduce<TurnRow | undefined>((a, b) => (a && a.openedAt > b.openedAt ? a : b), undefined));
  }

  async delivery(iid: string, deliveryId: string): Promise<DeliveryRow | undefined> {
    return copy(this.#deliveries.get(pair(iid, deliveryId)));
  }

  async executions(runIds: readonly string[]): Promise<ExecutionRow[]> {
    const rows = [...this.#executions.values()].filter((row) => runIds.includes(row.runId));
    return copy(rows.sort((a, b) => a.startedAt - b.startedAt || (a.executionId < b.executionId ? -1 : 1)));
  }

  async execution(executionId: string): Promise<ExecutionRow | undefined> {
    return copy(this.#executions.get(executionId));
  }

  async executionPage({ after, limit, ...filter }: ExecutionQuery): Promise<ExecutionRow[]> {
    const wanted = Object.entries(filter).filter(([, value]) => value !== undefined) as [keyof ExecutionRow, unknown][];
    const rows = [...this.#executions.values()].filter(
      (row) =>
        wanted.every(([field, value]) => row[field] === value) &&
        (after === undefined || newestExecutionFirst(row, after) > 0),
    );
    return copy(rows.sort(newestExecutionFirst).slice(0, limit));
  }

  async executionCounts(): Promise<Partial<Record<ExecutionRow['status'], number>>> {
    const counts: Partial<Record<ExecutionRow['status'], number>> = {};
    for (const { status } of this.#executions.values()) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  }

  async intent(key: string): Promise<IntentRow | undefined> {
    return copy(this.#intents.get(key));
  }

  async key(scope: string, key: string): Promise<KeyRow | undefined> {
    return copy(this.#keys.get(pair(scope, key)));
  }

  async keysOf(runId: string, key: string): Promise<KeyRow[]> {
    const rows = [...this.#keys.values()].filter((row) => row.runId === runId && row.key === key);
    return copy(rows.sort((a, b) => b.at - a.at));
  }

  async feed(after: number, runId: string | undefined, limit: number): Promise<FeedRow[]> {
    const rows = this.#feed.filter((frame) => frame.seq > after && (runId === undefined || frame.runId === runId));
    return copy(rows.slice(0, limit));
  }

  async lastSeq(): Promise<number> {
    return this.#seq;
  }

  async placements(): Promise<PlacementRow[]> {
    return copy([...this.#placements.values()].sort((a, b) => (a.placement < b.placement ? -1 : 1)));
  }

  async nodes(): Promise<NodeRecord[]> {
    const rows = [...this.#nodes.values()].sort((a, b) => (a.nodeId < b.nodeId ? -1 : 1));
    return copy(rows.map((row) => ({ ...row, agents: this.#nodeAgents.get(row.nodeId)?.agents ?? [] })));
  }

  async prune({ runsBefore, receiptsBefore }: { runsBefore: number; receiptsBefore: number }): Promise<void> {
    const ended = (at: number | undefined, before: number) => at !== undefined && at < before;
    for (const run of this.#runs.values()) {
      if (!run.live && ended(run.endedAt, runsBefore)) this.#forget(run.runId);
    }
    this.#feed = this.#feed.filter(({ runId, at }) => runId !== undefined || at >= runsBefore);
    for (const turn of this.#turns.values()) {
      if (!ended(turn.endedAt, receiptsBefore)) continue;
      drop(this.#deliveries, (row) => row.turnId === turn.turnId);
      this.#turns.delete(turn.turnId);
    }
  }

  #forget(runId: string): void {
    const isOf = (row: { runId?: string }) => row.runId === runId;
    for (const rows of [this.#runs, this.#turns, this.#deliveries, this.#executions, this.#intents, this.#keys]) {
      drop(rows as Map<string, { runId: string }>, isOf);
    }
    this.#feed = this.#feed.filter((frame) => !isOf(frame));
  }

  close(): void {}
}

type Aged = { startedAt: number; runId: string };
const newestFirst = (a: Aged, b: Aged): number =>
  b.startedAt - a.startedAt || (a.runId < b.runId ? 1 : a.runId > b.runId ? -1 : 0);

type AgedExecution = Pick<ExecutionRow, 'startedAt' | 'executionId'>;
const newestExecutionFirst = (a: AgedExecution, b: AgedExecution): number =>
  newestFirst({ startedAt: a.startedAt, runId: a.executionId }, { startedAt: b.startedAt, runId: b.executionId });

function drop<Row>(rows: Map<string, Row>, which: (row: Row) => boolean): void {
  for (const [id, row] of rows) if (which(row)) rows.delete(id);
}
