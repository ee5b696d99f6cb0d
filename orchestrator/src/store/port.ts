/**
 * Where the ledger is kept. One writer; every commit is all or nothing and durable when it resolves; reads see committed
 * rows only. Nothing above this port knows of a file or a process.
 */
import type { NodeRecord } from '../nodes/port.ts';
import type {
  DeliveryRow,
  ExecutionQuery,
  ExecutionRow,
  FeedRow,
  IntentRow,
  KeyRow,
  PlacementRow,
  RunRow,
  TurnRow,
  Writes,
} from '../run/rows.ts';

export type * from '../run/rows.ts';

export interface RunQuery {
  workflow?: string;
  status?: RunRow['status'];
  /** Only these; except these. */
  only?: readonly string[];
  except?: readonly string[];
  /** The last row of the page before. */
  after?: { startedAt: number; runId: string };
  limit: number;
}

export interface Store {
  /**
   * Saves all of it in one transaction, in order.
   * @returns for each entry, the sequence numbers that its feed frames were given
   * @throws StoreError; nothing of it is saved then, or (a commit that failed at its very end) all of it
   */
  commit(batch: readonly Writes[]): Promise<number[][]>;

  liveRuns(): Promise<RunRow[]>;
  run(runId: string): Promise<RunRow | undefined>;
  /** Newest first. */
  runs(query: RunQuery): Promise<RunRow[]>;
  /** The newest turn of a conversation. */
  turnOf(iid: string): Promise<TurnRow | undefined>;
  delivery(iid: string, deliveryId: string): Promise<DeliveryRow | undefined>;
  executions(runIds: readonly string[]): Promise<ExecutionRow[]>;
  execution(executionId: string): Promise<ExecutionRow | undefined>;
  /** Newest first, of all runs. */
  executionPage(query: ExecutionQuery): Promise<ExecutionRow[]>;
  /** How many there are of each status. */
  executionCounts(): Promise<Partial<Record<ExecutionRow['status'], number>>>;
  intent(key: string): Promise<IntentRow | undefined>;
  key(scope: string, key: string): Promise<KeyRow | undefined>;
  /** Under any scope of that run, newest first. */
  keysOf(runId: string, key: string): Promise<KeyRow[]>;
  /** Frames after `seq`, in order, at most `limit`. */
  feed(after: number, runId: string | undefined, limit: number): Promise<FeedRow[]>;
  lastSeq(): Promise<number>;
  placements(): Promise<PlacementRow[]>;
  /** By name. */
  nodes(): Promise<NodeRecord[]>;

  /** Frees runs that ended before `runsBefore` and frames of that age that are of no run, and turns that ended before `receiptsBefore`, with their receipts. */
  prune(before: { runsBefore: number; receiptsBefore: number }): Promise<void>;
  close(): void;
}

/** `fenced`: a successor has the database, or it was taken away; this process must not write again. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  constructor(
    readonly kind: 'unavailable' | 'fenced',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export interface StoreOptions {
  /** Before the commit with this number, counted from 1 in this process. For crash tests: a kill here loses what was not answered. */
  beforeCommit?: (count: number) => void;
  /** After the commit with this number, counted from 1 in this process. For crash tests: a kill here loses nothing that was answered. */
  afterCommit?: (count: number) => void;
}
