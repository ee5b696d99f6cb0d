/** Drives the pure ledger in tests: a fixed clock, counted ids, and every row that was written. */
import type { AnyStateMachine } from 'xstate';
import { machines, workflowOf } from '../machine/index.ts';
import type { Workflow } from '../machine/port.ts';
import type { Env, IdKind, KnownPlacement, Run } from './draft.ts';
import { hashOf } from './hash.ts';
import type { JsonValue } from './json.ts';
import { owed } from './owed.ts';
import type { DeliveryRow, ExecutionRow, FeedRow, IntentRow, KeyRow, Writes } from './rows.ts';
import type { Settlement, Turn } from './state.ts';
import { beginRun, type RunEvent, type StepOutcome, step } from './step.ts';
import { surfaceOf } from './surface.ts';
import type { DeliveryAnswer } from './views.ts';

export function hostedWorkflow(machine: AnyStateMachine, name = 'test'): Workflow {
  const workflow = workflowOf(name, `${name}.ts`, machine);
  if ('findings' in workflow) throw new Error(workflow.findings.map(({ message }) => message).join('\n'));
  return workflow;
}

export const HARNESS = 'http://harness.test';

export class Ledger {
  now = 1_000_000;
  known: KnownPlacement;
  graceMs = 15_000;
  run: Run;
  readonly deliveries = new Map<string, DeliveryRow>();
  readonly executions = new Map<string, ExecutionRow>();
  readonly intents = new Map<string, IntentRow>();
  readonly keys: KeyRow[] = [];
  readonly feed: Omit<FeedRow, 'seq'>[] = [];
  last!: StepOutcome;
  #ids: Partial<Record<IdKind, number>> = {};

  constructor(
    readonly workflow: Workflow,
    input: JsonValue,
    known: KnownPlacement = { baseUrl: HARNESS },
  ) {
    this.known = known;
    this.last = beginRun({ runId: 'run_1', input, value: input }, this.env());
    this.run = this.last.run;
    this.#keep(this.last.writes);
  }

  env(): Env {
    return {
      machines,
      workflow: this.workflow,
      now: this.now,
      newId: (kind) => {
        this.#ids[kind] = (this.#ids[kind] ?? 0) + 1;
        return `${kind}_${this.#ids[kind]}`;
      },
      placement: () => this.known,
      defaultPlacement: 'local',
      restartGraceMs: this.graceMs,
    };
  }

  get state() {
    return this.run.state;
  }

  get turn(): Turn {
    const [turn] = this.state.turns.filter((one) => one.phase === 'open');
    if (!turn) throw new Error('no open turn');
    return turn;
  }

  get effects() {
    return owed(this.state);
  }

  kinds(): string[] {
    return this.effects.map(({ kind }) => kind);
  }

  effect<Kind extends string>(kind: Kind) {
    return this.effects.find((one) => one.kind === kind) as Extract<ReturnType<typeof owed>[number], { kind: Kind }>;
  }

  take<Reply>(event: RunEvent): Reply {
    this.last = step(this.run, event, this.env());
    this.run = this.last.run;
    this.#keep(this.last.writes);
    return this.last.reply as Reply;
  }

  /** Saved and loaded again, as a restart does. */
  restart(): void {
    const state = JSON.parse(JSON.stringify(this.state));
    const snapshot =
      state.status === 'active' ? machines.restore(this.workflow, structuredClone(state.machine)) : this.run.snapshot;
    this.run = { state, snapshot };
  }

  /** The current intent is sent and admitted. */
  admit(submissionId = `sub_${this.turn.intent.key}`): string {
    const { turnId, intent } = this.turn;
    this.take({ type: 'dispatch', turnId, key: intent.key });
    const admission = { streamUrl: `${HARNESS}/stream/${submissionId}`, offset: '0_0', submissionId };
    this.take({ type: 'admitted', turnId, key: intent.key, admission, store: 'store-1' });
    return submissionId;
  }

  pick(
    event: string,
    input: JsonValue = {},
    more: { deliveryId?: string; iid?: string; turnId?: string; placement?: string } = {},
  ): DeliveryAnswer {
    const turn = this.state.turns.find((one) => one.phase === 'open');
    const iid = more.iid ?? turn?.iid ?? 'run_1.none.0';
    const turnId = more.turnId ?? turn?.turnId ?? 'none';
    const deliveryId = more.deliveryId;
    const known = deliveryId === undefined ? undefined : this.deliveries.get(deliveryId);
    return this.take({
      type: 'pick',
      request: {
        placement: more.placement ?? 'local',
        iid,
        body: { turnId, event, input, ...(deliveryId === undefined ? {} : { deliveryId }) },
        bodyHash: hashOf({ turnId, event, input }),
        ...(known === undefined ? {} : { known }),
      },
    });
  }

  gate(gate: string, event: string, input: JsonValue = {}, key?: string): { moved: boolean; replayed: boolean } {
    const known = this.keys.filter((row) => row.key === key).reverse();
    const answer = { gate, event, input, bodyHash: hashOf({ event, input }), known };
    return this.take({ type: 'gate', answer: key === undefined ? answer : { ...answer, key } });
  }

  settle(outcome: Settlement['outcome'], code?: string, submissionId?: string): void {
    const turn = this.state.turns.find(
      (one) => one.admission && (!submissionId || one.admission.submissionId === submissionId),
    );
    if (!turn?.admission) throw new Error('nothing admitted');
    const error = code === undefined ? {} : { error: { code, message: `because of ${code}` } };
    const of = { turnId: turn.turnId, submissionId: turn.admission.submissionId };
    this.take({ type: 'settled', ...of, settlement: { outcome, ...error } });
  }

  /** The author's running actor ends. */
  done(output: unknown = ['ok'], id?: string): void {
    const actor = this.state.actors.find((one) => id === undefined || one.id === id);
    if (!actor) throw new Error('no actor runs');
    this.take({ type: 'actor', id: actor.id, key: actor.key, event: machines.doneEvent(actor.id, output), last: true });
  }

  /** The next deadline is due. */
  fire(): void {
    const { deadline, at } = this.effect('timer');
    this.now = Math.max(this.now, at);
    this.take({ type: 'timer', id: deadline, at });
  }

  surface() {
    return surfaceOf(this.run, this.env(), 'local', this.turn.iid);
  }

  body(key = this.turn.intent.key) {
    return JSON.parse(this.intents.get(key)?.body ?? 'null') as {
      message: string;
      turnId: string;
      notices?: string[];
      definition: Record<string, unknown>;
    };
  }

  types(): string[] {
    return this.feed.map(({ type }) => type);
  }

  #keep(writes: Writes | undefined): void {
    for (const row of writes?.deliveries ?? []) this.deliveries.set(row.deliveryId, row);
    for (const row of writes?.executions ?? []) this.executions.set(row.executionId, row);
    for (const row of writes?.intents ?? []) this.intents.set(row.key, row);
    for (const { key, ...change } of writes?.intentChanges ?? []) {
      const before = this.intents.get(key);
      if (before) this.intents.set(key, { ...before, ...change });
    }
    this.keys.push(...(writes?.keys ?? []));
    this.feed.push(...(writes?.feed ?? []));
  }
}
