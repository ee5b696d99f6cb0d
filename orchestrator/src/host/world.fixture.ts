/** A run host on a database file and a fake Harness, that can be killed and started again on the same file. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@turnwire/sdk';
import type { AnyStateMachine } from 'xstate';
import { machines, workflowOf } from '../machine/index.ts';
import type { Loaded } from '../machine/port.ts';
import { nodePlacements } from '../nodes/placements.ts';
import { LiveNodes } from '../nodes/registry.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/port.ts';
import type { HostClock } from './clock.ts';
import { FakeHarness } from './harness.fixture.ts';
import { SdkHarnesses } from './harnesses.ts';
import { fixedPlacements } from './placements.ts';
import { DurableRunHost } from './run-host.ts';

/** Time that passes when the test says so. */
export class VirtualClock implements HostClock {
  #now = 1_700_000_000_000;
  readonly #sleepers = new Set<{ at: number; wake: () => void }>();

  now = (): number => this.#now;

  sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const aborted = () => this.#wake(sleeper);
      const wake = () => {
        signal?.removeEventListener('abort', aborted);
        resolve();
      };
      const sleeper = { at: this.#now + ms, wake };
      this.#sleepers.add(sleeper);
      signal?.addEventListener('abort', aborted);
    });

  /** Lets `ms` pass, waking whoever is due, in order, with what they set off in between. */
  async advance(ms: number): Promise<void> {
    const until = this.#now + ms;
    for (;;) {
      await settle();
      const due = [...this.#sleepers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
      if (!due) break;
      this.#now = Math.max(this.#now, due.at);
      this.#wake(due);
    }
    this.#now = until;
    await settle();
  }

  #wake(sleeper: { wake: () => void; at: number }): void {
    if (this.#sleepers.delete(sleeper)) sleeper.wake();
  }
}

/** A few turns of the loop: what is queued is committed. */
export async function settle(turns = 12): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

export async function until<T>(what: string, look: () => T | Promise<T>, ms = 5_000): Promise<NonNullable<T>> {
  const deadline = Date.now() + ms;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > deadline) throw new Error(`waited ${ms} ms for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** A process that dies: after the commit with number `after` nothing of it is ever heard again. */
export class MortalStore implements Store {
  commits = 0;
  #dead = false;
  onDeath: () => void = () => {};

  constructor(
    readonly inner: Store,
    readonly after = Number.POSITIVE_INFINITY,
  ) {}

  get dead(): boolean {
    return this.#dead;
  }

  die(): void {
    this.#dead = true;
    this.inner.close();
    this.onDeath();
  }

  commit: Store['commit'] = async (batch) => {
    if (this.#dead) return new Promise<never>(() => {});
    const seqs = await this.inner.commit(batch);
    this.commits += 1;
    if (this.commits < this.after) return seqs;
    this.die();
    return new Promise<never>(() => {});
  };
  liveRuns = () => this.#read((store) => store.liveRuns());
  run: Store['run'] = (...args) => this.#read((store) => store.run(...args));
  runs: Store['runs'] = (...args) => this.#read((store) => store.runs(...args));
  turnOf: Store['turnOf'] = (...args) => this.#read((store) => store.turnOf(...args));
  delivery: Store['delivery'] = (...args) => this.#read((store) => store.delivery(...args));
  executions: Store['executions'] = (...args) => this.#read((store) => store.executions(...args));
  execution: Store['execution'] = (...args) => this.#read((store) => store.execution(...args));
  executionPage: Store['executionPage'] = (...args) => this.#read((store) => store.executionPage(...args));
  executionCounts = () => this.#read((store) => store.executionCounts());
  intent: Store['intent'] = (...args) => this.#read((store) => store.intent(...args));
  key: Store['key'] = (...args) => this.#read((store) => store.key(...args));
  keysOf: Store['keysOf'] = (...args) => this.#read((store) => store.keysOf(...args));
  feed: Store['feed'] = (...args) => this.#read((store) => store.feed(...args));
  lastSeq = () => this.#read((store) => store.lastSeq());
  placements = () => this.#read((store) => store.placements());
  nodes = () => this.#read((store) => store.nodes());
  prune: Store['prune'] = (...args) => this.#read((store) => store.prune(...args));

  close(): void {
    if (!this.#dead) this.inner.close();
  }

  #read<T>(work: (store: Store) => Promise<T>): Promise<T> {
    return this.#dead ? new Promise<never>(() => {}) : work(this.inner);
  }
}

export interface WorldOptions {
  machine: AnyStateMachine;
  clock?: HostClock;
  /** The Harness's store is known before the first run starts. */
  learned?: boolean;
  fencedAbort?: boolean;
  graceMs?: number;
}

export class World {
  readonly folder = mkdtempSync(join(tmpdir(), 'turnwire-host-'));
  readonly harness = new FakeHarness();
  readonly clock: HostClock;
  readonly warnings: unknown[] = [];
  machine: AnyStateMachine;
  host!: DurableRunHost;
  store!: MortalStore;
  harnesses!: SdkHarnesses;
  /** Nodes beside the fixed placement; none is registered at first, and nothing checks their health. */
  nodes!: LiveNodes;
  /** How often the host said that a successor has its database. */
  fenced = 0;

  private constructor(readonly options: WorldOptions) {
    this.machine = options.machine;
    this.clock = options.clock ?? { now: Date.now, sleep: systemClock.sleep };
  }

  static async open(options: WorldOptions): Promise<World> {
    const world = new World(options);
    world.harness.fencedAbort = options.fencedAbort ?? true;
    await world.harness.start();
    await world.start();
    return world;
  }

  get file(): string {
    return `file:${join(this.folder, 'runs.db')}`;
  }

  async start(dieAfter?: number): Promise<void> {
    const store = new MortalStore(await openStore(this.file, { waitMs: 5_000 }), dieAfter);
    this.store = store;
    const { graceMs } = this.options;
    const nodes = new LiveNodes({
      saved: await store.nodes(),
      now: this.clock.now,
      hearingMs: 0,
      commit: (writes) => this.host.commit(writes),
    });
    this.nodes = nodes;
    const fixed = fixedPlacements({ local: { baseUrl: this.harness.url, token: 'harness-token' } });
    const harnesses = new SdkHarnesses({
      placements: nodePlacements(nodes, fixed, () => 'harness-token'),
      nodes,
      remembered: await store.placements(),
      clock: { now: this.clock.now, sleep: systemClock.sleep },
      save: (row) => store.inner.commit([{ placements: [row] }]),
    });
    this.harnesses = harnesses;
    store.onDeath = () => void harnesses.close();
    const log = {
      info: () => {},
      warn: (...line: unknown[]) => this.warnings.push(line),
      error: (...line: unknown[]) => this.warnings.push(line),
    };
    const { clock } = this;
    const loaded = this.#loaded();
    this.host = new DurableRunHost({
      store,
      machines,
      loaded,
      harnesses,
      defaultPlacement: 'local',
      nodes,
      ...(graceMs !== undefined && { restartGraceMs: graceMs }),
      clock,
      log,
      onFenced: () => (this.fenced += 1),
    });
    if (this.options.learned !== false) {
      harnesses.learnAll();
      await until('the store to be known', () => harnesses.known('local').store);
    }
    await this.host.restore();
  }

  /** As SIGKILL does: nothing more is committed, sent or answered. */
  kill(): void {
    if (!this.store.dead) this.store.die();
  }

  async restart(): Promise<void> {
    this.kill();
    await this.start();
  }

  async close(): Promise<void> {
    if (!this.store.dead) {
      await this.host.stop();
      await this.harnesses.close();
      this.store.close();
    }
    await this.harness.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  #loaded(): Loaded {
    const workflow = workflowOf('test', 'test.ts', this.machine);
    if ('findings' in workflow) throw new Error(workflow.findings.map(({ message }) => message).join('\n'));
    return { workflows: new Map([['test', workflow]]), refused: new Map() };
  }
}
