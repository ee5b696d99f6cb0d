/** Every loaded run: taken from the store, advanced event by event, its effects kept going. */

import type { Logger } from '@turnwire/server';
import { Activity } from '../executions/activity.ts';
import { callWorkflow } from '../executions/call-machine.ts';
import { ExecutionCounts } from '../executions/counts.ts';
import { hasEnded, parkedAs } from '../executions/record.ts';
import { Sweeper } from '../executions/sweeper.ts';
import { EFFECT_PAUSE_MS, PRUNE_EVERY_MS, RECEIPT_KEEP_MS, RESTART_GRACE_MS, RUN_KEEP_MS } from '../limits.ts';
import type { Loaded as LoadedWorkflows, Machines, Workflow } from '../machine/port.ts';
import type { Nodes } from '../nodes/port.ts';
import type { Env } from '../run/draft.ts';
import { owed } from '../run/owed.ts';
import { HostRefusal } from '../run/refusal.ts';
import type { RunState } from '../run/state.ts';
import type { RunEvent, StepOutcome } from '../run/step.ts';
import { GroupCommit } from '../store/group-commit.ts';
import type { Store, Writes } from '../store/port.ts';
import { traceReceipt } from '../tracing.ts';
import { Cell, type CellPorts, type Loaded } from './cell.ts';
import type { HostClock } from './clock.ts';
import { Shell } from './effects.ts';
import { FeedHub } from './feed-hub.ts';
import type { Harnesses } from './harnesses.ts';
import { randomId } from './ids.ts';
import { Keeper } from './keeper.ts';
import { NodeWatch, noNodes } from './node-watch.ts';
import { Parked } from './parked.ts';
import { loadRun } from './restore.ts';
import { Tally } from './tally.ts';

export interface HostOptions {
  store: Store;
  machines: Machines;
  loaded: LoadedWorkflows;
  harnesses: Harnesses;
  /** Without them, none is registered at first. */
  nodes?: Nodes;
  defaultPlacement: string;
  /** Milliseconds; negative: a restart of a node is not waited for. */
  restartGraceMs?: number;
  clock: HostClock;
  random?: () => number;
  newId?: Env['newId'];
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** What others count beside the runs. */
  tally?: Tally;
  /** The database is this process's no more, for this reason: it must end. */
  onFenced?: (reason: string) => void;
}

/** What of a run says which Workflow it is of. */
type Hosted = Pick<RunState, 'workflow' | 'call'>;

interface Live {
  cell: Cell;
  /** Its conversations. */
  iids: Set<string>;
  keeper: Keeper;
  shell: Shell;
  actions: Map<string, StepOutcome['actions'] extends ReadonlyMap<string, infer Actions> ? Actions : never>;
}

/** Every loaded run, and what all of them share. */
export class RunTable {
  readonly options: HostOptions;
  readonly group: GroupCommit;
  readonly parked = new Parked();
  readonly nodes: NodeWatch;
  readonly activity: Activity;
  readonly executionCounts = new ExecutionCounts();
  readonly feed: FeedHub;
  readonly #live = new Map<string, Live>();
  /** Which run a conversation is of, for those that are loaded. */
  readonly #runOf = new Map<string, string>();
  readonly #ended = new AbortController();
  #stopping = false;
  counts = { failures: 0, transitions: 0 };
  readonly tally: Tally;

  constructor(options: HostOptions) {
    this.options = options;
    this.tally = options.tally ?? new Tally();
    this.group = new GroupCommit(options.store, (writes) => this.#count(writes), options.onFenced);
    this.feed = new FeedHub(options.store, options.clock);
    this.nodes = new NodeWatch(options.nodes ?? noNodes);
    this.activity = new Activity(options.clock);
  }

  get stopping(): boolean {
    return this.#stopping;
  }

  get cells(): Cell[] {
    return [...this.#live.values()].map(({ cell }) => cell);
  }

  cell(runId: string): Cell | undefined {
    return this.#live.get(runId)?.cell;
  }

  /** The loaded run of a conversation. */
  cellOf(iid: string): Cell | undefined {
    const runId = this.#runOf.get(iid);
    return runId === undefined ? undefined : this.cell(runId);
  }

  workflow(name: string): Workflow | undefined {
    return this.options.loaded.workflows.get(name);
  }

  /** That of a run: an ad-hoc call's is built from what the run has saved. */
  workflowOf({ workflow, call }: Hosted): Workflow | undefined {
    return call ? callWorkflow(call) : this.workflow(workflow);
  }

  env(of: Hosted): Env {
    const { machines, clock, harnesses, defaultPlacement, restartGraceMs = RESTART_GRACE_MS, newId } = this.options;
    return {
      machines,
      // An ended run may outlive its workflow: none of its events asks the machine.
      workflow: this.workflowOf(of) as Workflow,
      now: clock.now(),
      newId: newId ?? randomId,
      placement: (name) => harnesses.known(name),
      defaultPlacement,
      restartGraceMs,
    };
  }

  /** TW-DUR-017: every live run, before anything is served. Their work begins when all are there. */
  async restore(): Promise<void> {
    this.executionCounts.begin(await this.options.store.executionCounts());
    for (const row of await this.options.store.liveRuns()) {
      const loaded = this.#load(row.runId, row);
      this.#adopt(row.runId, loaded);
      if (loaded.fault)
        this.options.log.warn({ runId: row.runId, ...loaded.fault }, 'a run is kept as it is and not advanced');
    }
    for (const { keeper } of this.#live.values()) keeper.sync();
    void this.#prune();
    void new Sweeper(this).run(this.#ended.signal);
  }

  /** A run that was just committed. */
  begin(runId: string, outcome: StepOutcome): void {
    const live = this.#adopt(runId, { run: outcome.run });
    this.#committed(live.cell, outcome);
  }

  /** What is of no run, for the others who write: durable, and told to the feed, when it resolves. */
  async commit(writes: Writes): Promise<void> {
    await this.group.commit(writes);
    this.feed.wake();
  }

  /** What was found out beside a run's own effects. */
  async said(cell: Cell, event: RunEvent): Promise<void> {
    if (!this.#stopping) await cell.submit(() => event);
  }

  /** @throws HostRefusal `stopping` */
  mustServe(): void {
    if (this.#stopping) throw new HostRefusal('stopping', 'the orchestrator is stopping; nothing was taken');
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.parked.wakeAll();
    for (const { keeper } of this.#live.values()) keeper.stop();
    this.#ended.abort();
    await Promise.all(this.cells.map((cell) => cell.settled()));
    await this.group.idle();
    this.nodes.close();
    this.feed.close();
  }

  /** What readers of the feed are told is counted as it is committed, whoever wrote it. */
  #count({ feed = [] }: Writes): void {
    this.executionCounts.committed(feed);
    for (const { type, data } of feed) {
      this.tally.add('feed_events_total', { type });
      if (type === 'run.status' && data.status !== 'active')
        this.tally.add('runs_ended_total', { status: String(data.status) });
      if (type === 'run.retry') this.tally.add('turn_retries_total', { reason: String(data.reason) });
    }
  }

  #load(runId: string, row: Awaited<ReturnType<Store['run']>>): Loaded {
    if (!row) return { fault: { code: 'unreadable', reason: `the run ${runId} is not in the store` } };
    const { machines } = this.options;
    return loadRun(row, { machines, workflow: (state) => this.workflowOf(state) });
  }

  #adopt(runId: string, loaded: Loaded): Live {
    const cell = new Cell(runId, loaded, this.#cellPorts());
    const actions: Live['actions'] = new Map();
    const shell = this.#shell(cell, actions);
    const keeper = new Keeper({
      owed: () => (cell.run && !cell.fault ? owed(cell.run.state) : []),
      perform: shell.perform,
      pause: (signal) => this.options.clock.sleep(EFFECT_PAUSE_MS, signal),
      failed: (effect, error) => {
        if (this.#stopping) return;
        this.counts.failures += 1;
        this.options.log.warn(
          { runId, effect: effect.id, reason: String(error) },
          'an effect came to nothing and is tried again',
        );
      },
    });
    const live = { cell, keeper, shell, actions, iids: new Set<string>() };
    this.#live.set(runId, live);
    this.#index(cell);
    return live;
  }

  #shell(cell: Cell, actions: Live['actions']): Shell {
    const { machines, harnesses, clock, store, log } = this.options;
    return new Shell({
      machines,
      harnesses,
      nodes: this.nodes,
      absorbed: (ok) => this.tally.add('routability_total', { seat: 'admission', ok: String(ok) }),
      answered: (turnId) => this.activity.heard(turnId),
      clock,
      random: this.options.random ?? Math.random,
      workflow: () => this.workflowOf(cell.mustRun().state) as Workflow,
      trace: () => cell.state?.trace,
      submit: (event) => {
        // What takes doubt away is written while the host stops, too: the next process would fault what it could send.
        if (event.type !== 'notTaken') this.mustServe();
        return cell.submit(() => event);
      },
      intent: (key) => store.intent(key),
      act: (id) => cell.state?.acts.find((act) => act.id === id),
      mail: (key) => cell.state?.actors.find((actor) => actor.key === key)?.mail ?? [],
      actions: (act) => actions.get(act),
      snapshot: () => cell.mustRun().snapshot,
      log: (message, members) => log.info({ runId: cell.runId, ...members }, message),
    });
  }

  #cellPorts(): CellPorts {
    return {
      env: (state) => this.env(state),
      commit: (writes) => this.group.commit(writes),
      reload: async (runId) => this.#load(runId, await this.options.store.run(runId)),
      committed: (cell, outcome) => this.#committed(cell, outcome),
      failed: (cell, error) => this.#commitFailed(cell, error),
    };
  }

  #committed(cell: Cell, outcome: StepOutcome): void {
    const live = this.#live.get(cell.runId);
    for (const [act, list] of outcome.actions) live?.actions.set(act, list);
    const acts = outcome.run.state.acts;
    for (const act of live?.actions.keys() ?? []) if (!acts.some(({ id }) => id === act)) live?.actions.delete(act);
    this.#index(cell);
    for (const row of outcome.writes?.deliveries ?? []) {
      if (row.status !== 'delivered') continue;
      this.counts.transitions += row.transitions;
      traceReceipt(row, outcome.run.state.trace);
      this.parked.wake(`${row.iid}/${row.deliveryId}`);
    }
    for (const row of outcome.writes?.executions ?? []) if (hasEnded(row)) this.parked.wake(parkedAs(row.executionId));
    this.feed.wake();
    live?.keeper.sync();
    live?.shell.actors.deliver();
    if (outcome.writes?.run?.live === false) this.#release(cell);
  }

  /** Nothing of it is owed any more: it is read from the store from here on. */
  #release(cell: Cell): void {
    const live = this.#live.get(cell.runId);
    live?.keeper.stop();
    this.#live.delete(cell.runId);
    for (const iid of live?.iids ?? []) this.#runOf.delete(iid);
  }

  #index(cell: Cell): void {
    const iids = this.#live.get(cell.runId)?.iids;
    for (const { iid } of cell.state?.turns ?? []) {
      this.#runOf.set(iid, cell.runId);
      iids?.add(iid);
    }
  }

  #commitFailed(cell: Cell, error: unknown): void {
    this.options.log.error(
      { runId: cell.runId, reason: String(error) },
      'a commit failed; nothing of it was acknowledged',
    );
    this.#index(cell);
    this.#live.get(cell.runId)?.keeper.sync();
  }

  async #prune(): Promise<void> {
    const { clock, store, log } = this.options;
    while (!this.#ended.signal.aborted) {
      await clock.sleep(PRUNE_EVERY_MS, this.#ended.signal);
      if (this.#ended.signal.aborted) return;
      const now = clock.now();
      await store
        .prune({ runsBefore: now - RUN_KEEP_MS, receiptsBefore: now - RECEIPT_KEEP_MS })
        .catch((error: unknown) => log.warn({ reason: String(error) }, 'old runs could not be freed'));
    }
  }
}
