/** The run host's face: what the API and the commands ask, on top of the loaded runs and the store. */
import { RUNS_PAGE, RUNS_PAGE_MAX, SNAPSHOT_ENDED_RUNS } from '../limits.ts';
import { answerOf } from '../run/deliveries.ts';
import { hashOf } from '../run/hash.ts';
import type { JsonValue } from '../run/json.ts';
import { turnOver } from '../run/picks.ts';
import { HostRefusal } from '../run/refusal.ts';
import type { DeliveryRow, RunRow } from '../run/rows.ts';
import { beginRun } from '../run/step.ts';
import { surfaceOf } from '../run/surface.ts';
import { runView } from '../run/view.ts';
import type { DeliveryAnswer, FeedEvent, PickBody, RunView, SurfaceView, WorkflowView } from '../run/views.ts';
import { type Cell, refusalOf } from './cell.ts';
import type { HostCounters, RunFilter, RunHost } from './port.ts';
import { loadRun } from './restore.ts';
import { type HostOptions, RunTable } from './run-table.ts';
import { workflowViews } from './workflow-views.ts';

export class DurableRunHost implements RunHost {
  readonly #table: RunTable;
  readonly #views: WorkflowView[];
  /** Starts under one key wait for each other: the second one finds what the first one made. */
  readonly #starting = new Map<string, Promise<unknown>>();

  constructor(options: HostOptions) {
    this.#table = new RunTable(options);
    this.#views = workflowViews(options.machines, options.loaded);
  }

  /** Every live run is loaded when it resolves (TW-DUR-017). */
  restore(): Promise<void> {
    return this.#table.restore();
  }

  workflows(): WorkflowView[] {
    return this.#views;
  }

  workflow(name: string): WorkflowView | undefined {
    return this.#views.find((view) => view.name === name);
  }

  async start(
    workflow: string,
    input: JsonValue,
    key?: string,
    trace?: string,
  ): Promise<{ runId: string; replayed: boolean }> {
    this.#table.mustServe();
    if (key === undefined) return this.#begin(workflow, input, undefined, trace);
    const scope = JSON.stringify([workflow, key]);
    const before = this.#starting.get(scope) ?? Promise.resolve();
    const mine = before.then(() => this.#begin(workflow, input, key, trace));
    const quiet = mine.catch(() => {});
    this.#starting.set(scope, quiet);
    await quiet;
    if (this.#starting.get(scope) === quiet) this.#starting.delete(scope);
    return mine;
  }

  async #begin(
    name: string,
    input: JsonValue,
    key: string | undefined,
    trace: string | undefined,
  ): Promise<{ runId: string; replayed: boolean }> {
    const { store, machines } = this.#table.options;
    const bodyHash = hashOf(input);
    const known = key === undefined ? undefined : await asked(store.key(name, key));
    if (known) {
      if (known.bodyHash === bodyHash) return { runId: known.runId, replayed: true };
      throw new HostRefusal('idempotency_mismatch', 'this key was used to start a run with another input');
    }
    const workflow = this.#table.workflow(name);
    if (!workflow) throw this.#noWorkflow(name);
    const checked = machines.checkRunInput(workflow, input);
    if (!checked.ok) {
      const problems = checked.problems as unknown as JsonValue;
      throw new HostRefusal('invalid', `the input does not fit the workflow ${name}`, { problems });
    }
    const env = this.#table.env(name);
    const runId = env.newId('run');
    const keyed = key === undefined ? {} : { key: { key, bodyHash } };
    const beginning = { runId, input, value: checked.value, ...keyed, ...(trace === undefined ? {} : { trace }) };
    const outcome = beginRun(beginning, env);
    await asked(this.#table.group.commit(outcome.writes ?? {}));
    this.#table.begin(runId, outcome);
    return { runId, replayed: false };
  }

  #noWorkflow(name: string): HostRefusal {
    const view = this.workflow(name);
    if (!view) return new HostRefusal('unknown_workflow', `there is no workflow ${name}`);
    const findings = (view.findings ?? []) as unknown as JsonValue;
    return new HostRefusal('workflow_refused', `the workflow ${name} was refused when it was loaded`, { findings });
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
      const workflow = (name: string) => this.#table.workflow(name);
      const loaded = cell ? { run: cell.run, fault: cell.fault } : loadRun(row, { machines, workflow });
      const own = executions.filter((execution) => execution.runId === row.runId);
      if (!loaded.run) return [unreadable(row, loaded.fault?.reason ?? '')];
      const { state, snapshot } = loaded.run;
      const seen = loaded.fault
        ? { fault: loaded.fault }
        : snapshot && { snapshot, env: this.#table.env(state.workflow) };
      return [runView(state, own, seen)];
    });
  }

  async answerGate(
    runId: string,
    gate: string,
    event: string,
    input: JsonValue,
    key?: string,
  ): Promise<{ moved: boolean; replayed: boolean }> {
    this.#table.mustServe();
    const { store } = this.#table.options;
    const bodyHash = hashOf({ event, input });
    const answer = async () => {
      const known = key === undefined ? [] : await store.keysOf(runId, key);
      return { gate, event, input, bodyHash, known, ...(key === undefined ? {} : { key }) };
    };
    const cell = this.#table.cell(runId);
    if (cell) return asked(cell.submit(async () => ({ type: 'gate', answer: await answer() })));
    if (!(await asked(store.run(runId)))) throw unknownRun(runId);
    const known = (await answer()).known.find((row) => row.scope === gate || row.answer.gate === gate);
    if (known?.bodyHash === bodyHash) return { moved: known.answer.moved === true, replayed: true };
    if (known) throw new HostRefusal('idempotency_mismatch', 'this key was used for another answer to this gate');
    throw new HostRefusal('gate_closed', `the run has ended, so the gate ${gate} is not open`, { openGates: [] });
  }

  async cancel(runId: string, reason?: string): Promise<void> {
    this.#table.mustServe();
    const cell = this.#table.cell(runId);
    if (cell?.run) {
      const event = { type: 'cancel' as const, ...(reason === undefined ? {} : { reason }) };
      await asked(cell.submit(() => event, { evenIfDrifted: true }));
      return;
    }
    const row = await asked(this.#table.options.store.run(runId));
    if (!row) throw unknownRun(runId);
    if (cell) cell.mustRun();
    throw new HostRefusal('already_ended', `the run has ended: ${row.status}`);
  }

  async available(iid: string): Promise<void> {
    this.#table.mustServe();
    (await this.#cellOf(iid))?.mustRun();
  }

  async surface(placement: string, iid: string): Promise<SurfaceView> {
    this.#table.mustServe();
    const cell = await this.#cellOf(iid);
    if (!cell) throw turnOver();
    const run = cell.mustRun();
    return surfaceOf(run, this.#table.env(run.state.workflow), placement, iid);
  }

  /** The loaded run of a conversation, if it is loaded: one that cannot be read is found by its rows. */
  async #cellOf(iid: string): Promise<Cell | undefined> {
    const known = this.#table.cellOf(iid);
    if (known) return known;
    const turn = await asked(this.#table.options.store.turnOf(iid));
    return turn && turn.endedAt === undefined ? this.#table.cell(turn.runId) : undefined;
  }

  async pick(placement: string, iid: string, body: PickBody): Promise<DeliveryAnswer> {
    this.#table.mustServe();
    const { store } = this.#table.options;
    const { turnId, event, input, deliveryId } = body;
    const bodyHash = hashOf({ turnId, event, input });
    const recorded = () => (deliveryId === undefined ? undefined : store.delivery(iid, deliveryId));
    const cell = await this.#cellOf(iid);
    if (cell) {
      return asked(
        cell.submit(async () => {
          const known = await recorded();
          const request = { placement, iid, body, bodyHash, ...(known === undefined ? {} : { known }) };
          return { type: 'pick', request };
        }),
      );
    }
    const known = await asked(Promise.resolve(recorded()));
    if (!known) throw turnOver();
    mustBePlaced(known, placement);
    if (known.bodyHash !== bodyHash) {
      throw new HostRefusal('delivery_mismatch', `delivery ${known.deliveryId} was made with another body`);
    }
    return answerOf(known);
  }

  async delivery(
    placement: string,
    iid: string,
    deliveryId: string,
    waitMs: number,
    signal?: AbortSignal,
  ): Promise<DeliveryAnswer> {
    const parked = this.#table.parked.park(`${iid}/${deliveryId}`);
    const timer = new AbortController();
    const end = () => timer.abort();
    signal?.addEventListener('abort', end, { once: true });
    try {
      const first = await this.#poll(placement, iid, deliveryId);
      if (first.status === 200 || waitMs <= 0 || signal?.aborted) return first;
      await Promise.race([parked.woken, this.#table.options.clock.sleep(waitMs, timer.signal)]);
      return await this.#poll(placement, iid, deliveryId);
    } finally {
      signal?.removeEventListener('abort', end);
      timer.abort();
      parked.end();
    }
  }

  /** TW-DLV-001, TW-DLV-002. */
  async #poll(placement: string, iid: string, deliveryId: string): Promise<DeliveryAnswer> {
    this.#table.mustServe();
    const cell = await this.#cellOf(iid);
    cell?.mustRun();
    const row = await asked(this.#table.options.store.delivery(iid, deliveryId));
    const turn = cell?.state?.turns.find((one) => one.iid === iid && one.phase === 'open');
    const owner = row ?? turn;
    if (!owner) throw turnOver();
    mustBePlaced(owner, placement);
    if (row) return answerOf(row);
    throw new HostRefusal('unknown_delivery', `the delivery ${deliveryId} was not taken so far`);
  }

  async *feed(runId: string | undefined, signal: AbortSignal): AsyncGenerator<FeedEvent> {
    if (runId !== undefined && !(await this.run(runId))) throw unknownRun(runId);
    yield* this.#table.feed.read(runId, signal, () => (runId === undefined ? this.#allRuns() : this.#oneRun(runId)));
  }

  async #oneRun(runId: string) {
    const view = await this.run(runId);
    const over = view !== undefined && view.status !== 'active' && view.status !== 'drifted';
    return { data: { runs: (view ? [view] : []) as unknown as JsonValue }, over };
  }

  /** Every live run, and the newest of those that have ended. */
  async #allRuns() {
    const { store } = this.#table.options;
    const [live, newest] = await Promise.all([
      asked(store.liveRuns()),
      asked(store.runs({ limit: SNAPSHOT_ENDED_RUNS })),
    ]);
    const rows = [...newest, ...live.filter((row) => !newest.some((other) => other.runId === row.runId))];
    return { data: { runs: (await this.#viewsOf(rows)) as unknown as JsonValue }, over: false };
  }

  counters(): HostCounters {
    const { cells, group, counts, parked, feed } = this.#table;
    return {
      runs_live: cells.length,
      runs_drifted: cells.filter((cell) => cell.fault).length,
      turns_open: cells.reduce((sum, cell) => sum + (cell.state?.turns.length ?? 0), 0),
      commits_total: group.commits,
      steps_total: group.steps,
      pick_transitions_total: counts.transitions,
      effect_failures_total: counts.failures,
      polls_parked: parked.size,
      feeds_open: feed.readers,
    };
  }

  stop(): Promise<void> {
    return this.#table.stop();
  }
}

async function asked<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw refusalOf(error);
  }
}

function mustBePlaced(owner: Pick<DeliveryRow, 'placement'>, placement: string): void {
  if (owner.placement !== placement) throw new HostRefusal('wrong_placement', 'this turn runs in another placement');
}

const unknownRun = (runId: string): HostRefusal => new HostRefusal('unknown_run', `there is no run ${runId}`);

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
