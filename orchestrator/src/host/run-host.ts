/** The run host's face: what the API and the commands ask, on top of the loaded runs and the store. */
import { ExecutionDesk } from '../executions/desk.ts';
import { NODE_HEARING_MS } from '../limits.ts';
import type { Nodes } from '../nodes/port.ts';
import { LiveNodes } from '../nodes/registry.ts';
import { nodeView } from '../nodes/view.ts';
import { replayed } from '../run/gate-answers.ts';
import { hashOf } from '../run/hash.ts';
import type { JsonValue } from '../run/json.ts';
import { HostRefusal } from '../run/refusal.ts';
import type { Writes } from '../run/rows.ts';
import { beginRun } from '../run/step.ts';
import type { DeliveryAnswer, FeedEvent, PickBody, RunView, SurfaceView, WorkflowView } from '../run/views.ts';
import { tracedStep } from '../tracing.ts';
import { AgentDesk } from './agent-desk.ts';
import { asked } from './asked.ts';
import { InLine } from './in-line.ts';
import type { HostCounters, RunFilter, RunHost } from './port.ts';
import { RunReader } from './run-reader.ts';
import { type HostOptions, RunTable } from './run-table.ts';
import { traceOf } from './trace.ts';
import { workflowViews } from './workflow-views.ts';

export class DurableRunHost implements RunHost {
  readonly nodes: Nodes;
  readonly #table: RunTable;
  readonly #views: WorkflowView[];
  readonly #reader: RunReader;
  readonly #desk: AgentDesk;
  /** Starts under one key wait for each other: the second one finds what the first one made. */
  readonly #starting = new InLine();
  readonly executions: ExecutionDesk;

  constructor(options: HostOptions) {
    this.nodes = options.nodes ?? this.#noNodes(options);
    this.#table = new RunTable({ ...options, nodes: this.nodes });
    this.#views = workflowViews(options.machines, options.loaded);
    this.#reader = new RunReader(this.#table);
    this.#desk = new AgentDesk(this.#table);
    this.executions = new ExecutionDesk(this.#table);
  }

  /** Every live run is loaded when it resolves (TW-DUR-017). */
  restore(): Promise<void> {
    return this.#table.restore();
  }

  #noNodes({ clock }: HostOptions): Nodes {
    const commit = (writes: Writes) => this.commit(writes);
    return new LiveNodes({ saved: [], now: clock.now, hearingMs: NODE_HEARING_MS, commit });
  }

  /** What is of no run, in the transactions of the runs. */
  commit(writes: Writes): Promise<void> {
    return this.#table.commit(writes);
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
    return this.#starting.run(JSON.stringify([workflow, key]), () => this.#begin(workflow, input, key, trace));
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
    const env = this.#table.env({ workflow: name });
    const runId = env.newId('run');
    const keyed = key === undefined ? {} : { key: { key, bodyHash } };
    const beginning = {
      runId,
      input,
      value: checked.value,
      ...keyed,
      ...traceOf(trace),
    };
    const outcome = await tracedStep({ runId, workflow: name, event: 'begin', trace }, async () => {
      const began = beginRun(beginning, env);
      await asked(this.#table.group.commit(began.writes ?? {}));
      return began;
    });
    this.#table.begin(runId, outcome);
    return { runId, replayed: false };
  }

  #noWorkflow(name: string): HostRefusal {
    const view = this.workflow(name);
    if (!view) return new HostRefusal('unknown_workflow', `there is no workflow ${name}`);
    const findings = (view.findings ?? []) as unknown as JsonValue;
    return new HostRefusal('workflow_refused', `the workflow ${name} was refused when it was loaded`, { findings });
  }

  runs(filter: RunFilter): Promise<{ items: RunView[]; nextCursor?: string }> {
    return this.#reader.runs(filter);
  }

  run(runId: string): Promise<RunView | undefined> {
    return this.#reader.run(runId);
  }

  available(iid: string): Promise<void> {
    return this.#desk.available(iid);
  }

  surface(placement: string, iid: string): Promise<SurfaceView> {
    return this.#desk.surface(placement, iid);
  }

  pick(placement: string, iid: string, body: PickBody): Promise<DeliveryAnswer> {
    return this.#desk.pick(placement, iid, body);
  }

  delivery(
    placement: string,
    iid: string,
    deliveryId: string,
    waitMs: number,
    signal?: AbortSignal,
  ): Promise<DeliveryAnswer> {
    return this.#desk.delivery(placement, iid, deliveryId, waitMs, signal);
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
    const recorded = replayed(await answer());
    if (recorded) return recorded;
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

  async *feed(runId: string | undefined, signal: AbortSignal): AsyncGenerator<FeedEvent> {
    if (runId !== undefined && !(await this.run(runId))) throw unknownRun(runId);
    yield* this.#table.feed.read(runId, signal, () =>
      runId === undefined ? this.#everything() : this.#reader.oneRun(runId),
    );
  }

  async #everything() {
    const { data, over } = await this.#reader.allRuns();
    return { data: { ...data, nodes: this.nodes.list().map(nodeView) }, over };
  }

  counters(): HostCounters {
    const { cells, group, counts, parked, feed, tally, executionCounts } = this.#table;
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
      ...this.nodes.counters(),
      ...tally.all(),
      restart_waits: cells.reduce((sum, { state }) => sum + (state?.turns.filter((turn) => turn.wait).length ?? 0), 0),
      ...executionCounts.all(),
    };
  }

  async stop(): Promise<void> {
    await Promise.all([this.nodes.stop(), this.#table.stop()]);
  }
}

const unknownRun = (runId: string): HostRefusal => new HostRefusal('unknown_run', `there is no run ${runId}`);
