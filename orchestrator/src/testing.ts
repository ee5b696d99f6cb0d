/**
 * `@turnwire/orchestrator/testing`: tries a workflow out in one process. The Machine is advanced exactly as the Orchestrator does it,
 * saved and loaded at every step; Agents are scripts, time is virtual, and nothing is sent anywhere.
 */
import type { AnyStateMachine } from 'xstate';
import { machines, workflowOf } from './machine/index.ts';
import type {
  AgentInput,
  JsonObject,
  JsonValue,
  MachineAction,
  MachineEvent,
  Snapshot,
  StepResult,
  Workflow,
} from './machine/port.ts';

/** What the Agent reads after a pick, as a receipt says it. */
export interface TrialReceipt {
  event: string;
  moved: boolean;
  turnComplete: boolean;
  allowed: string[];
  answer?: JsonValue;
  answerError?: string;
}

export interface TrialTurn extends AgentInput {
  slot: string;
  allowed(): string[];
  /** Resolves at Rest or when the turn is over; rejects when the pick is refused. */
  pick(event: string, input?: unknown): Promise<TrialReceipt>;
}

/** Plays one turn. When it returns while the turn goes on, the turn ends with the fault `no_signal`. */
export type TrialAgent = (turn: TrialTurn) => Promise<void> | void;

export interface TrialOptions {
  input?: unknown;
  agents?: Record<string, TrialAgent>;
  /** How long `until` waits, in real milliseconds: actors of the workflow may really take their time. */
  patienceMs?: number;
}

interface Turn {
  id: string;
  slot: string;
  over: boolean;
  /** The pick that is not answered yet. */
  outstanding?: { event: MachineEvent; answer(receipt: TrialReceipt): void };
}

interface Deadline {
  id: string;
  at: number;
  event: MachineEvent;
  target?: string;
}

/** Starts a run of `machine`. Throws with all findings when the walk refuses it, or with the problems of a wrong input. */
export function trial(machine: unknown, options: TrialOptions = {}): Trial {
  const workflow = workflowOf('trial', 'trial.ts', machine as AnyStateMachine);
  if ('findings' in workflow) throw new Error(workflow.findings.map(({ message }) => message).join('\n'));
  const checked = machines.checkRunInput(workflow, options.input ?? {});
  if (!checked.ok) throw new Error(`input: ${JSON.stringify(checked.problems)}`);
  return new Trial(workflow, checked.value, options);
}

export class Trial {
  readonly #workflow: Workflow;
  readonly #options: TrialOptions;
  readonly #turns = new Map<string, Turn>();
  readonly #actors = new Map<string, { stop: AbortController; send(event: MachineEvent): void }>();
  readonly #watchers = new Set<() => void>();
  #deadlines: Deadline[] = [];
  #step: StepResult;
  #now = 0;
  #minted = 0;

  /** Emitted events, in order. */
  readonly emitted: MachineEvent[] = [];
  /** Every turn that was asked for, in order. */
  readonly prompts: { slot: string; prompt: string }[] = [];

  constructor(workflow: Workflow, input: unknown, options: TrialOptions) {
    this.#workflow = workflow;
    this.#options = options;
    this.#step = machines.begin(workflow, input);
    this.#perform(this.#step.actions);
  }

  get status(): StepResult['status'] {
    return this.#step.status;
  }
  get value(): JsonValue {
    return this.#step.value;
  }
  get context(): JsonValue {
    return this.#step.context;
  }
  get output(): JsonValue | undefined {
    return this.#step.output;
  }
  /** Why the run ended `error`. */
  get reason(): string | undefined {
    return this.#step.error?.reason;
  }

  /** The gates that wait now. */
  gates(): string[] {
    return machines
      .invocations(this.#workflow, this.#snapshot())
      .flatMap(({ gate, active }) => (gate && active ? [gate] : []));
  }

  /** Answers a gate as a person would. Throws when it is not open, does not take the event, or the input is wrong. */
  answer(gate: string, event: string, input: unknown = {}): { moved: boolean } {
    const open = machines.invocations(this.#workflow, this.#snapshot()).find((one) => one.gate === gate && one.active);
    if (!open) throw new Error(`gate '${gate}' is not open; open: ${this.gates().join(', ') || 'none'}`);
    const accepts = machines.gateAccepts(this.#workflow, this.#snapshot(), open.invokeId).map(({ name }) => name);
    if (!accepts.includes(event))
      throw new Error(`gate '${gate}' does not take '${event}', only ${accepts.join(', ')}`);
    return { moved: this.#take({ type: event, input: this.#checked(event, input) }).moved };
  }

  /** Lets virtual time pass: what is due on the way fires, in order. */
  async pass(ms: number): Promise<void> {
    const until = this.#now + ms;
    for (let due = this.#due(until); due; due = this.#due(until)) {
      this.#now = Math.max(this.#now, due.at);
      this.#deadlines = this.#deadlines.filter((other) => other !== due);
      if (due.target === undefined) this.#take(due.event);
      else this.#actors.get(due.target)?.send(due.event);
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#now = until;
  }

  /** Waits for a condition, looked at after every step. */
  async until(holds: (run: Trial) => boolean): Promise<void> {
    const patience = this.#options.patienceMs ?? 5_000;
    await new Promise<void>((resolve, reject) => {
      const late = setTimeout(
        () =>
          settle(() =>
            reject(new Error(`still in ${JSON.stringify(this.value)} (${this.status}) after ${patience} ms`)),
          ),
        patience,
      );
      const settle = (end: () => void) => {
        clearTimeout(late);
        this.#watchers.delete(look);
        end();
      };
      const look = () => {
        if (holds(this)) settle(resolve);
      };
      this.#watchers.add(look);
      look();
    });
  }

  #snapshot(): Snapshot {
    return this.#step.snapshot;
  }

  #due(until: number): Deadline | undefined {
    return this.#deadlines.filter(({ at }) => at <= until).sort((one, other) => one.at - other.at)[0];
  }

  #take(event: MachineEvent): StepResult {
    // Through the same JSON as a restart, so that what would not survive one fails here.
    const saved =
      this.#step.status === 'active'
        ? machines.restore(this.#workflow, JSON.parse(JSON.stringify(this.#step.persisted)) as JsonObject)
        : this.#snapshot();
    this.#step = machines.advance(this.#workflow, saved, event);
    const step = this.#step;
    this.#perform(step.actions);
    for (const turn of this.#turns.values()) this.#answer(turn, step.moved);
    for (const look of [...this.#watchers]) look();
    return step;
  }

  #perform(actions: readonly MachineAction[]): void {
    for (const action of actions) this.#one(action);
  }

  #one(action: MachineAction): void {
    switch (action.kind) {
      case 'start':
        if (action.actor === 'agent') this.#turn(action.id, action.src, action.input as AgentInput);
        if (action.actor === 'actor') this.#actor(action);
        return;
      case 'stop':
        this.#actors.get(action.id)?.stop.abort();
        this.#end(action.id);
        return;
      case 'schedule':
        this.#unschedule(action.id);
        this.#deadlines.push({
          id: action.id ?? `minted ${++this.#minted}`,
          at: this.#now + action.delayMs,
          event: action.event,
          ...(action.target !== undefined && { target: action.target }),
        });
        return;
      case 'unschedule':
        this.#unschedule(action.id);
        return;
      case 'custom':
        action.run({
          key: `trial-${++this.#minted}`,
          log: () => {},
          send: (event) => queueMicrotask(() => this.#take(event)),
        });
        return;
      case 'emit':
        this.emitted.push(action.event);
        return;
      case 'send':
        this.#actors.get(action.to)?.send(action.event);
    }
  }

  #unschedule(id: string | undefined): void {
    this.#deadlines = this.#deadlines.filter((deadline) => deadline.id !== id);
  }

  #actor(start: Extract<MachineAction, { kind: 'start' }>): void {
    const stop = new AbortController();
    const onEvent = (event: MachineEvent) => queueMicrotask(() => !stop.signal.aborted && this.#take(event));
    const running = machines.runActor(this.#workflow, start, {
      signal: stop.signal,
      key: `trial-${++this.#minted}`,
      onEvent,
    });
    this.#actors.set(start.id, { stop, send: running.send });
    const ended = (event: MachineEvent) => {
      if (!stop.signal.aborted) this.#take(event);
    };
    running.result.then(
      (output) => ended(machines.doneEvent(start.id, output)),
      (error: unknown) => ended(machines.errorEvent(start.id, error)),
    );
  }

  #turn(id: string, slot: string, input: AgentInput): void {
    const turn: Turn = { id, slot, over: false };
    this.#turns.set(id, turn);
    this.prompts.push({ slot, prompt: input.prompt });
    const script = this.#options.agents?.[slot];
    if (!script) return;
    const played = {
      ...input,
      slot,
      allowed: () => this.#allowed(turn),
      pick: (event: string, picked: unknown = {}) => this.#pick(turn, event, picked),
    };
    // After the step that asked for it, as a Harness would begin.
    Promise.resolve()
      .then(() => script(played))
      .then(
        () => this.#fault(turn, 'no_signal', 'the script ended and the turn did not'),
        (error: unknown) => this.#fault(turn, 'engine_failed', error instanceof Error ? error.message : String(error)),
      );
  }

  #allowed(turn: Turn): string[] {
    return turn.over ? [] : machines.allowedPicks(this.#workflow, this.#snapshot(), turn.id);
  }

  async #pick(turn: Turn, event: string, input: unknown): Promise<TrialReceipt> {
    if (turn.over) throw new Error(`turn_over: the turn of '${turn.slot}' is over`);
    if (turn.outstanding) throw new Error(`pick_outstanding: '${turn.outstanding.event.type}' is not answered yet`);
    if (!machines.ownPicks(this.#workflow, this.#snapshot(), turn.id).includes(event)) {
      throw new Error(`refused: '${event}' is not among ${this.#allowed(turn).join(', ')}`);
    }
    const picked = { type: event, input: this.#checked(event, input) };
    return await new Promise((answer) => {
      turn.outstanding = { event: picked, answer };
      this.#take(picked);
    });
  }

  #checked(event: string, input: unknown): unknown {
    const checked = machines.checkInput(this.#workflow, event, input);
    if (!checked.ok) throw new Error(`refused: ${JSON.stringify(checked.problems)}`);
    return checked.value;
  }

  #moved = new WeakMap<MachineEvent, boolean>();

  #answer(turn: Turn, moved: boolean): void {
    const { outstanding } = turn;
    if (!outstanding) return;
    const { event, answer } = outstanding;
    if (!this.#moved.has(event)) this.#moved.set(event, moved);
    const turnComplete = turn.over || this.status !== 'active';
    if (!turnComplete && !machines.atRest(this.#workflow, this.#snapshot(), turn.id)) return;
    delete turn.outstanding;
    const said = machines.answerOf(this.#workflow, event.type, this.#snapshot(), event);
    answer({
      event: event.type,
      moved: this.#moved.get(event) === true,
      turnComplete,
      allowed: this.#allowed(turn),
      ...said,
    });
  }

  #end(id: string): void {
    const turn = this.#turns.get(id);
    if (!turn) return;
    turn.over = true;
    this.#answer(turn, true);
    this.#turns.delete(id);
  }

  #fault(turn: Turn, code: string, reason: string): void {
    if (turn.over || this.status !== 'active') return;
    this.#take({ type: `agent.fault.${turn.slot}`, input: { agent: turn.slot, iid: turn.id, code, reason } });
  }
}
