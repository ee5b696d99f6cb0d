/** One loaded run: its committed state, and the line in which its events wait. One event at a time, each committed before the next. */
import type { Env, Run } from '../run/draft.ts';
import { HostRefusal } from '../run/refusal.ts';
import type { Writes } from '../run/rows.ts';
import type { RunState } from '../run/state.ts';
import { type RunEvent, type StepOutcome, step } from '../run/step.ts';
import type { RunFault } from '../run/views.ts';
import { StoreError } from '../store/port.ts';
import { tracedStep } from '../tracing.ts';

export interface CellPorts {
  env(state: RunState): Env;
  commit(writes: Writes): Promise<number[]>;
  /** The run as the store has it, after a commit whose fate is not known. */
  reload(runId: string): Promise<Loaded>;
  /** After each commit, before the next event of this run. */
  committed(cell: Cell, outcome: StepOutcome): void;
  failed(cell: Cell, error: unknown): void;
}

/** `fault`: it cannot be advanced, and why. */
export type Loaded = { run: Run; fault?: undefined } | { run?: Run; fault: RunFault };

/** A name for what an event needs read before its step: it is read when its turn comes, so that it is still true. */
export type Prepare = () => RunEvent | Promise<RunEvent>;

export class Cell {
  readonly runId: string;
  readonly #ports: CellPorts;
  #loaded: Loaded;
  #line: Promise<unknown> = Promise.resolve();

  constructor(runId: string, loaded: Loaded, ports: CellPorts) {
    this.runId = runId;
    this.#loaded = loaded;
    this.#ports = ports;
  }

  get run(): Run | undefined {
    return this.#loaded.run;
  }

  get state(): RunState | undefined {
    return this.#loaded.run?.state;
  }

  get fault(): RunFault | undefined {
    return this.#loaded.fault;
  }

  /** Kept, named, and not advanced: TW-DUR-016. */
  stand(fault: RunFault): void {
    this.#loaded = { ...this.#loaded, fault } as Loaded;
  }

  /** @throws HostRefusal `run_unavailable` */
  mustRun(): Run {
    const { run, fault } = this.#loaded;
    if (run && !fault) return run;
    throw new HostRefusal(
      'run_unavailable',
      `the run ${this.runId} cannot be advanced: ${fault?.reason ?? 'not loaded'}`,
    );
  }

  /**
   * Queues an event. Resolves with its reply once it is committed.
   * @throws HostRefusal when it is not taken
   */
  submit<Reply>(prepare: Prepare, options: { evenIfDrifted?: boolean } = {}): Promise<Reply> {
    const result = this.#line.then(() => this.#take(prepare, options.evenIfDrifted === true));
    this.#line = result.catch(() => {});
    return result as Promise<Reply>;
  }

  /** Resolves when every event that is queued now has been taken or refused. */
  async settled(): Promise<void> {
    await this.#line;
  }

  async #take(prepare: Prepare, evenIfDrifted: boolean): Promise<unknown> {
    const event = await prepare();
    const run = evenIfDrifted && this.#loaded.run ? this.#loaded.run : this.mustRun();
    const { workflow, trace } = run.state;
    return tracedStep({ runId: this.runId, workflow, event: event.type, trace }, () => this.#step(run, event));
  }

  async #step(run: Run, event: RunEvent): Promise<unknown> {
    const outcome = step(run, event, this.#ports.env(run.state));
    if (!outcome.writes) return outcome.reply;
    await this.#commit(outcome.writes);
    this.#loaded = {
      run: outcome.run,
      ...(this.fault && outcome.run.state.status === 'active' ? { fault: this.fault } : {}),
    } as Loaded;
    this.#ports.committed(this, outcome);
    return outcome.reply;
  }

  /** TW-DUR-023: nothing is acknowledged that was not written, and what is in memory is what is in the store. */
  async #commit(writes: Writes): Promise<void> {
    try {
      await this.#ports.commit(writes);
    } catch (error) {
      this.#loaded = await this.#ports.reload(this.runId).catch((reason: unknown) => ({
        ...this.#loaded,
        fault: { code: 'store_unavailable', reason: String(reason) },
      }));
      this.#ports.failed(this, error);
      throw refusalOf(error);
    }
  }
}

export function refusalOf(error: unknown): unknown {
  if (error instanceof StoreError) return new HostRefusal('store_unavailable', error.message);
  return error;
}
