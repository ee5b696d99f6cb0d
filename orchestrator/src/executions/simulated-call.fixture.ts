/** One call of the simulation: the run that it is, and the shell that performs what its ledger owes. */
import { rungMs } from '@turnwire/sdk';
import { machines } from '../machine/index.ts';
import type { Env, Run } from '../run/draft.ts';
import { hashOf } from '../run/hash.ts';
import { type Effect, owed } from '../run/owed.ts';
import { HostRefusal } from '../run/refusal.ts';
import type { ExecutionRow, Writes } from '../run/rows.ts';
import { beginRun, type RunEvent, step } from '../run/step.ts';
import { callWorkflow } from './call-machine.ts';
import { hasEnded } from './record.ts';
import { GRACE_MS, NODE, type Simulation, type Submission } from './simulation.fixture.ts';
import { sweep } from './sweep.ts';

/** Something that the ledger owes and that is under way. */
interface Work {
  effect: Effect;
  isOver: boolean;
}

export class SimulatedCall {
  run: Run;
  readonly rows = new Map<string, ExecutionRow>();
  readonly feed: string[] = [];
  readonly executionId: string;
  readonly #simulation: Simulation;
  readonly #index: number;
  readonly #work = new Map<string, Work>();
  #ids = 0;
  #heardAt: number | undefined;

  constructor(simulation: Simulation, index: number) {
    this.#simulation = simulation;
    this.#index = index;
    const call = { node: NODE, agent: 'echo', input: 'hello' };
    const value = { prompt: 'hello' };
    const outcome = beginRun({ runId: `run_${index}`, input: value, value, call }, this.#env());
    this.run = outcome.run;
    this.executionId = this.run.state.turns[0]?.executionId ?? '';
    this.#keep(outcome.writes);
    this.#sync();
  }

  get row(): ExecutionRow {
    return this.rows.get(this.executionId) as ExecutionRow;
  }

  get statuses(): string[] {
    return (this.row.timeline ?? []).map(({ status }) => status);
  }

  get hasEnded(): boolean {
    return hasEnded(this.row);
  }

  get isHeld(): boolean {
    return this.run.state.turns.some(({ wait }) => wait !== undefined);
  }

  get taken(): number {
    return this.#simulation.submissions.filter(({ iid }) => iid.startsWith(`run_${this.#index}.`)).length;
  }

  /** @returns the status that it was cancelled in */
  cancel(): string | undefined {
    if (this.hasEnded || !this.#simulation.isUp) return undefined;
    const { status } = this.row;
    this.#take({ type: 'cancelExecution', executionId: this.executionId });
    return status;
  }

  nodeChanged(): void {
    for (const work of [...this.#work.values()]) {
      const { effect } = work;
      if (work.isOver) continue;
      if (effect.kind === 'hold') this.#look(effect.turnId);
      if (effect.kind === 'admit' && effect.again) this.#simulation.at(0, () => this.#again(work));
    }
  }

  forget(): void {
    for (const work of this.#work.values()) work.isOver = true;
    this.#work.clear();
  }

  restore(): void {
    const state = JSON.parse(JSON.stringify(this.run.state));
    const workflow = callWorkflow(state.call);
    const snapshot =
      state.status === 'active' ? machines.restore(workflow, structuredClone(state.machine)) : this.run.snapshot;
    this.run = { state, snapshot };
    this.#sync();
  }

  sweep(): void {
    const { now, node } = this.#simulation;
    for (const turn of this.run.state.turns) {
      const seen = { now, node: node?.record, heardAt: this.#heardAt, since: 0, atGate: false };
      const found = sweep(turn, seen);
      const { executionId, admission } = turn;
      if (found)
        this.#take({
          type: 'swept',
          executionId,
          ...(admission && { submissionId: admission.submissionId }),
          ...found,
        });
    }
  }

  #env(): Env {
    const { node, now } = this.#simulation;
    const record = node?.record;
    const known = record ? { baseUrl: record.baseUrl, store: 'disk', fencedAbort: true, node: record } : {};
    return {
      machines,
      workflow: callWorkflow({ node: NODE }),
      now,
      newId: (kind) => {
        this.#ids += 1;
        return `${kind}_${this.#index}_${this.#ids}`;
      },
      placement: () => known,
      defaultPlacement: 'local',
      restartGraceMs: GRACE_MS,
    };
  }

  #take<Reply>(event: RunEvent): Reply {
    const outcome = step(this.run, event, this.#env());
    this.run = outcome.run;
    this.#keep(outcome.writes);
    this.#sync();
    return outcome.reply as Reply;
  }

  #keep(writes: Writes | undefined): void {
    for (const row of writes?.executions ?? []) this.rows.set(row.executionId, row);
    this.feed.push(...(writes?.feed ?? []).map(({ type }) => type));
  }

  #sync(): void {
    const wanted = new Map(owed(this.run.state).map((effect) => [effect.id, effect]));
    for (const [id, work] of this.#work) {
      if (wanted.has(id)) continue;
      work.isOver = true;
      this.#work.delete(id);
    }
    for (const [id, effect] of wanted) {
      if (this.#work.has(id)) continue;
      const work = { effect, isOver: false };
      this.#work.set(id, work);
      this.#perform(work);
    }
  }

  #later(work: Work, ms: number, run: () => void): void {
    this.#simulation.at(ms, () => {
      if (!work.isOver) run();
    });
  }

  #perform(work: Work): void {
    const { effect } = work;
    const { now, random } = this.#simulation;
    if (effect.kind === 'admit') {
      const { again } = effect;
      const due = again ? Math.min(again.at + rungMs(again.rung, random), again.until) : now;
      this.#later(work, due - now, () => (again ? this.#again(work, true) : this.#send(work)));
    }
    if (effect.kind === 'hold') {
      this.#later(work, effect.until - now, () => {
        if (effect.learn) this.#simulation.demote(effect.learn);
        if (!work.isOver) this.#look(effect.turnId);
      });
      this.#later(work, 0, () => this.#look(effect.turnId));
    }
    if (effect.kind === 'wait') this.#listen(work);
    if (effect.kind === 'abort') this.#later(work, effect.at - now, () => this.#abort(work));
    if (effect.kind === 'timer')
      this.#later(work, effect.at - now, () => this.#take({ type: 'timer', id: effect.deadline, at: effect.at }));
  }

  #look(turnId: string): void {
    this.#take({ type: 'look', turnId });
  }

  #again(work: Work, isDue = false): void {
    const { effect } = work;
    if (effect.kind !== 'admit' || !effect.again || work.isOver) return;
    const { node, now } = this.#simulation;
    const record = node?.record;
    if (record?.health === 'inactive' || now >= effect.again.until) this.#look(effect.turnId);
    if (work.isOver) return;
    const isOther = record?.instanceId !== effect.again.tried.instanceId;
    if ((isDue && now < effect.again.until) || isOther) this.#send(work);
  }

  /** One attempt: a dial, a copy that may leave, and what becomes of it. */
  #send(work: Work): void {
    const { effect } = work;
    if (effect.kind !== 'admit' || !this.#simulation.node) return;
    const { random, node, lossy } = this.#simulation;
    const { turnId, key, doubt } = effect;
    const { instanceId, moves, baseUrl: address } = node.record;
    const refused = (code: string, inDoubt: boolean, ms: number) =>
      this.#later(work, ms, () => {
        const tried = { instanceId, moves };
        this.#take({
          type: 'refused',
          turnId,
          key,
          tried,
          code: inDoubt ? 'unknown' : code,
          reason: code,
          last: code,
          inDoubt,
        });
      });
    const process = this.#simulation.listening(address);
    if (!process) {
      refused('unreachable', doubt, 1);
      return;
    }
    if (!this.#take<boolean>({ type: 'dispatch', turnId, key, store: 'disk' })) return;
    if (process.isDraining) {
      refused('draining', doubt, 5);
      return;
    }
    const luck = random();
    if (luck < lossy / 2) {
      refused('reset', true, 5);
      return;
    }
    const turn = this.run.state.turns.find((one) => one.turnId === turnId);
    const submission = this.#simulation.admit({ key, iid: turn?.iid ?? '', turnId }, process);
    this.#simulation.at(this.#simulation.workMs, () => this.#answer(submission));
    if (luck < lossy) {
      refused('reset', true, 5);
      return;
    }
    const admission = { streamUrl: `${address}/s?submission=${key}`, offset: '0_0', submissionId: key };
    this.#later(work, 5, () =>
      this.#take({ type: 'admitted', turnId, key, admission, store: 'disk', address, instanceId }),
    );
  }

  /** The agent picks, if its process lives and the Orchestrator is there; a Harness waits for that. */
  #answer(submission: Submission): void {
    const { process, iid, turnId } = submission;
    if (process.isGone || submission.settled) return;
    if (!this.#simulation.isUp) {
      this.#simulation.at(500, () => this.#answer(submission));
      return;
    }
    const body = { turnId, event: 'answer', input: { result: 1 } };
    try {
      this.#take({ type: 'pick', request: { placement: NODE, iid, body, bodyHash: hashOf(body) } });
    } catch (error) {
      // Its turn is over: the Harness ends it.
      if (!(error instanceof HostRefusal)) throw error;
    }
    submission.settled = { outcome: 'completed' };
  }

  #listen(work: Work): void {
    const { effect } = work;
    if (effect.kind !== 'wait') return;
    const { turnId, submissionId } = effect;
    const { settled } = this.#simulation.submissions.find(({ key }) => key === submissionId) ?? {};
    const isAnswered = this.#simulation.isAnswered();
    if (isAnswered) this.#heardAt = this.#simulation.now;
    if (isAnswered && settled) {
      this.#take({ type: 'settled', turnId, submissionId, settlement: settled });
      return;
    }
    this.#later(work, 500, () => this.#listen(work));
  }

  #abort(work: Work): void {
    const { effect } = work;
    if (effect.kind !== 'abort') return;
    if (!this.#simulation.isAnswered()) {
      this.#later(work, 2_000, () => this.#abort(work));
      return;
    }
    for (const one of this.#simulation.submissions)
      if (one.turnId === effect.turnId) one.settled ??= { outcome: 'aborted' };
    this.#take({ type: 'aborted', turnId: effect.turnId, fence: effect.submissionId ?? effect.turnId });
  }
}
