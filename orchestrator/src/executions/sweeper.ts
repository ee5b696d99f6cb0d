/** Looks through the executions that go on, again and again, for those that nothing else would ever end. */
import type { Cell } from '../host/cell.ts';
import type { RunTable } from '../host/run-table.ts';
import { NODES_SWEEP_EVERY_MS, QUIET_SWEEP_EVERY_MS, SWEEP_EVERY_MS } from '../limits.ts';
import { isAtOrBelow } from '../run/machines.ts';
import type { RunState, Turn } from '../run/state.ts';
import { isWorthSaving, type Seen, sweep } from './sweep.ts';

export class Sweeper {
  readonly #table: RunTable;

  constructor(table: RunTable) {
    this.#table = table;
  }

  /** Until the signal. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#pause(signal);
      if (!signal.aborted) this.sweep();
    }
  }

  /** The long pause of one that has no node ends with the first that registers: an orphan of it is not to wait for that. */
  async #pause(signal: AbortSignal): Promise<void> {
    const { nodes, options } = this.#table;
    const woken = new AbortController();
    const wake = (): void => woken.abort();
    signal.addEventListener('abort', wake);
    const stop = nodes.list().length === 0 ? nodes.onChange(wake) : undefined;
    await options.clock.sleep(this.#pauseMs(), woken.signal);
    stop?.();
    signal.removeEventListener('abort', wake);
  }

  /** What a node has can become an orphan; of anything else half an hour of silence is all there is to look for. */
  #pauseMs(): number {
    const isAtNode = this.#table.cells.some(({ state }) =>
      state?.turns.some(({ admission }) => admission?.instanceId !== undefined),
    );
    if (isAtNode) return SWEEP_EVERY_MS;
    return this.#table.nodes.list().length > 0 ? NODES_SWEEP_EVERY_MS : QUIET_SWEEP_EVERY_MS;
  }

  /** One round. What is found is said to its run, which knows best whether it is still so. */
  sweep(): void {
    const turnIds = new Set<string>();
    for (const cell of this.#table.cells) {
      // One that is kept as it is, is not advanced by a sweep either.
      if (!cell.state || cell.fault) continue;
      for (const turn of cell.state.turns) {
        turnIds.add(turn.turnId);
        this.#guarded(cell, cell.state, turn);
      }
    }
    this.#table.activity.keep(turnIds);
  }

  /** One run that cannot be looked at must not keep the others from being swept. */
  #guarded(cell: Cell, state: RunState, turn: Turn): void {
    try {
      this.#look(cell, state, turn);
    } catch (error) {
      this.#table.options.log.warn({ runId: cell.runId, reason: String(error) }, 'an execution could not be swept');
    }
  }

  #look(cell: Cell, state: RunState, turn: Turn): void {
    const { executionId, turnId, admission } = turn;
    const heardAt = this.#table.activity.of(turnId);
    const found = sweep(turn, this.#seen(state, turn, heardAt));
    if (found) {
      const of = admission === undefined ? {} : { submissionId: admission.submissionId };
      this.#say(cell, { type: 'swept', executionId, ...of, ...found });
      return;
    }
    if (isWorthSaving(turn, heardAt)) this.#say(cell, { type: 'heard', turnId, at: heardAt as number });
  }

  #seen(state: RunState, turn: Turn, heardAt: number | undefined): Seen {
    const { clock } = this.#table.options;
    const workflow = this.#table.workflowOf(state);
    const atGate =
      workflow !== undefined && state.gates.some((gate) => isAtOrBelow(workflow, gate.stateId, turn.stateId));
    const node = this.#table.nodes.get(turn.placement);
    return { now: clock.now(), node, heardAt, since: this.#table.activity.since, atGate };
  }

  /** What cannot be written now is found again by the next round. */
  #say(cell: Cell, event: Parameters<RunTable['said']>[1]): void {
    this.#table
      .said(cell, event)
      .catch((error: unknown) =>
        this.#table.options.log.warn(
          { runId: cell.runId, reason: String(error) },
          'what a sweep found could not be written',
        ),
      );
  }
}
