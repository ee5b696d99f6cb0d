/** What readers of runs see: committed state, of loaded runs and of those that are only in the store. */
import { RUNS_PAGE, RUNS_PAGE_MAX, SNAPSHOT_ENDED_RUNS } from '../limits.ts';
import type { JsonValue } from '../run/json.ts';
import { HostRefusal } from '../run/refusal.ts';
import type { RunRow } from '../run/rows.ts';
import type { RunState } from '../run/state.ts';
import { runView } from '../run/view.ts';
import type { RunView } from '../run/views.ts';
import { asked } from './asked.ts';
import type { RunFilter } from './port.ts';
import { loadRun } from './restore.ts';
import type { RunTable } from './run-table.ts';

export class RunReader {
  readonly #table: RunTable;

  constructor(table: RunTable) {
    this.#table = table;
  }

  async runs(filter: RunFilter): Promise<{ items: RunView[]; nextCursor?: string }> {
    const limit = Math.min(Math.max(filter.limit ?? RUNS_PAGE, 1), RUNS_PAGE_MAX);
    const drifted = this.#table.cells.filter((cell) => cell.fault).map((cell) => cell.runId);
    const after = filter.cursor === undefined ? undefined : cursorOf(filter.cursor);
    const rows = await asked(
      this.#table.options.store.runs({
        ...(filter.workflow === undefined ? {} : { workflow: filter.workflow }),
        ...(filter.status === undefined || filter.status === 'drifted' ? {} : { status: filter.status }),
        ...(filter.status === 'drifted' ? { only: drifted } : {}),
        ...(filter.status === 'active' ? { except: drifted } : {}),
        ...(after === undefined ? {} : { after }),
        limit: limit + 1,
      }),
    );
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    const items = await this.#viewsOf(page);
    return rows.length > limit && last ? { items, nextCursor: cursorText(last) } : { items };
  }

  async run(runId: string): Promise<RunView | undefined> {
    const row = await asked(this.#table.options.store.run(runId));
    return row ? (await this.#viewsOf([row]))[0] : undefined;
  }

  async #viewsOf(rows: readonly RunRow[]): Promise<RunView[]> {
    const { store, machines } = this.#table.options;
    const executions = await asked(store.executions(rows.map((row) => row.runId)));
    return rows.flatMap((row) => {
      const cell = this.#table.cell(row.runId);
      const workflow = (state: RunState) => this.#table.workflowOf(state);
      const loaded = cell ? { run: cell.run, fault: cell.fault } : loadRun(row, { machines, workflow });
      const own = executions.filter((execution) => execution.runId === row.runId);
      if (!loaded.run) return [unreadable(row, loaded.fault?.reason ?? '')];
      const { state, snapshot } = loaded.run;
      const seen = loaded.fault ? { fault: loaded.fault } : snapshot && { snapshot, env: this.#table.env(state) };
      return [runView(state, own, seen)];
    });
  }

  /** The first frame of a run's feed. */
  async oneRun(runId: string) {
    const view = await this.run(runId);
    const over = view !== undefined && view.status !== 'active' && view.status !== 'drifted';
    return { data: { runs: (view ? [view] : []) as unknown as JsonValue }, over };
  }

  /** Every live run, and the newest of those that have ended. */
  async allRuns() {
    const { store } = this.#table.options;
    const [live, newest] = await Promise.all([
      asked(store.liveRuns()),
      asked(store.runs({ limit: SNAPSHOT_ENDED_RUNS })),
    ]);
    const rows = [...newest, ...live.filter((row) => !newest.some((other) => other.runId === row.runId))];
    return { data: { runs: (await this.#viewsOf(rows)) as unknown as JsonValue }, over: false };
  }
}

const cursorText = ({ startedAt, runId }: RunRow): string => Buffer.from(`${startedAt} ${runId}`).toString('base64url');

/** @throws HostRefusal `bad_request` for one that is not ours */
function cursorOf(cursor: string): { startedAt: number; runId: string } {
  const [, startedAt, runId] = /^(\d+) (\S+)$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (startedAt === undefined || runId === undefined) {
    throw new HostRefusal('bad_request', 'cursor must be the nextCursor of an earlier page');
  }
  return { startedAt: Number(startedAt), runId };
}

/** Its document is not JSON of ours: what the row says is what there is. */
function unreadable(row: RunRow, reason: string): RunView {
  return {
    runId: row.runId,
    workflow: row.workflow,
    status: row.status === 'active' ? 'drifted' : row.status,
    value: {},
    context: {},
    executions: [],
    gates: [],
    fault: { code: 'unreadable', reason },
    startedAt: new Date(row.startedAt).toISOString(),
    ...(row.endedAt === undefined ? {} : { endedAt: new Date(row.endedAt).toISOString() }),
  };
}
