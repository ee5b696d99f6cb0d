/**
 * What the run host and the API see of a Workflow's Machine. Everything here is pure: state in, state and data out. Nothing
 * starts an actor, arms a timer or runs an author's action by itself; that is the host's, after the commit (TW-DUR).
 */
import type { AnyMachineSnapshot, AnyStateMachine } from 'xstate';
import type { ZodType } from 'zod';

export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };
export type JsonObject = { [key: string]: JsonValue };

/** An event as it reaches the Machine: `{ type, input }` for events of the vocabulary and for `agent.fault.<slot>`. */
export interface MachineEvent {
  type: string;
  input?: unknown;
  [key: string]: unknown;
}

/** Limits of one turn. Tool calls, tokens of one step, tokens of the turn, seconds. */
export interface AgentLimits {
  maxToolCalls?: number;
  maxOutputTokens?: number;
  maxTotalTokens?: number;
  deadlineSeconds?: number;
}

export interface AgentDefinition {
  model: string;
  instructions: string;
  limits?: AgentLimits;
  thinkingLevel?: string;
  placement?: string;
  /** The Agent has no effect but its picks: a turn that had begun may be run once more after a loss. */
  rerunnable?: boolean;
}

/** What an Agent's `invoke.input` evaluates to. */
export interface AgentInput {
  prompt: string;
  continue?: boolean;
  model?: string;
  thinkingLevel?: string;
}

/** Who may cause an event: a menu offers only `agent` events, a gate accepts only `outside` events. */
export type CausedBy = 'agent' | 'outside';

/** An event of a Workflow's vocabulary as the host needs it. */
export interface WorkflowEvent {
  name: string;
  description?: string;
  by: CausedBy;
  input: ZodType;
  answer?(args: { context: unknown; event: MachineEvent }): unknown;
}

/** One tool of a Menu, or one event that a gate accepts. `input` is JSON Schema. */
export interface MenuItem {
  name: string;
  description?: string;
  input: JsonObject;
}

/** Why the walk refused a Workflow: each message names the workflow, the state and the remedy. */
export interface Finding {
  code: string;
  state?: string;
  event?: string;
  message: string;
}

export interface Workflow {
  /** The module's file name without its extension. */
  name: string;
  file: string;
  /** The Machine as it is hosted: every actor logic replaced by an inert placeholder. */
  machine: AnyStateMachine;
  /** The Machine as its author wrote it: for its definition, and for the actor logic that the host runs. */
  authored: AnyStateMachine;
  agents: Record<string, AgentDefinition>;
  events: Record<string, WorkflowEvent>;
  inputSchema: ZodType;
  /** JSON Schema of the run's input. */
  inputJson: JsonObject;
  /** Each slot's Menu: fixed order, byte for byte the same at every load of the same module (TW-AUT-001). */
  menus: Record<string, MenuItem[]>;
  /** Drift hash: state ids and nesting, invoke ids and sources, transition targets, the agents' events. */
  shape: string;
}

export interface Refused {
  name: string;
  file: string;
  findings: Finding[];
}

export interface Loaded {
  workflows: Map<string, Workflow>;
  refused: Map<string, Refused>;
}

export type Snapshot = AnyMachineSnapshot;

/**
 * Start an actor. `kind` says whose it is: `agent` → a turn, `gate` → an outside decision to wait for (neither is ever run here),
 * `actor` → `runActor`. An actor that starts and stops in one step appears in neither list.
 */
export interface StartAction {
  kind: 'start';
  actor: 'agent' | 'gate' | 'actor';
  id: string;
  src: string;
  /** Agents: the slot (equal to `src`). */
  slot?: string;
  /** The state that invoked or spawned it. */
  stateId: string;
  spawned: boolean;
  input: unknown;
  systemId?: string;
  /** The Machine wants `xstate.snapshot.<id>` events. */
  syncSnapshot: boolean;
}

/** Effects of a step, as data, in the order in which XState produced them. */
export type MachineAction =
  | StartAction
  | { kind: 'stop'; id: string; actor: 'agent' | 'gate' | 'actor' }
  /** A delayed event. `id` absent: the host mints one (nothing can cancel it). `target` absent: the Machine itself. */
  | { kind: 'schedule'; id?: string; delayMs: number; event: MachineEvent; target?: string }
  | { kind: 'unschedule'; id: string }
  /** An author's own action: run it after the commit, at least once; `key` reaches it through `attemptKey()`. */
  | { kind: 'custom'; type: string; run(effects: ActionEffects): void }
  | { kind: 'emit'; event: MachineEvent }
  /** An event for a running actor (`RunningActor.send`). Sends to the Machine itself are drained inside the step. */
  | { kind: 'send'; to: string; event: MachineEvent };

/** What a custom action may reach while it runs, after the commit. */
export interface ActionEffects {
  /** The same for every execution of this one action. */
  key: string;
  /** `self.send(event)` of the author's action. */
  send(event: MachineEvent): void;
  log(...args: unknown[]): void;
}

export interface MachineFault {
  /** One line naming what failed and why. */
  reason: string;
  /** Where in the context (or event) a value cannot be saved. */
  path?: string;
}

export interface StepResult {
  snapshot: Snapshot;
  /** `snapshot` as JSON: what is saved, and what `restore` takes. */
  persisted: JsonObject;
  /** Whether a transition was taken, one without a target included. */
  moved: boolean;
  actions: MachineAction[];
  status: 'active' | 'done' | 'error';
  value: JsonValue;
  context: JsonValue;
  output?: JsonValue;
  error?: MachineFault;
}

/** An actor of the Machine that lives now. */
export interface Invocation extends Omit<StartAction, 'kind' | 'id'> {
  invokeId: string;
  active: boolean;
  /** Gates: the name it goes by (`input.gate`, else the state's path) and what a people's interface may show. */
  gate?: string;
  meta?: JsonValue;
}

export interface InputProblem {
  /** Dotted path, `''` for the whole: `comments.0.line`. */
  path: string;
  message: string;
}

export type CheckedInput = { ok: true; value: unknown } | { ok: false; problems: InputProblem[] };
export type Answer = { answer?: JsonValue } | { answerError: string };

export interface RunningActor {
  /** Resolves with the output, rejects with the error. A callback or a machine without end never settles until stopped. */
  result: Promise<unknown>;
  send(event: MachineEvent): void;
}

export interface RunActorOptions {
  /** Stops the actor; its result then rejects with the signal's reason and must be ignored. */
  signal: AbortSignal;
  /** The same for every execution of this one start: authors read it with `attemptKey()`. */
  key: string;
  /** Events that the actor sends to the Machine (callbacks, event observables, `xstate.snapshot.<id>`). */
  onEvent(event: MachineEvent): void;
}

/** Implemented by `machines` of `machine/index.ts`. */
export interface Machines {
  /** Every `.ts`, `.js`, `.mjs` directly in the folder. */
  load(folder: string): Promise<Loaded>;

  begin(workflow: Workflow, input: unknown): StepResult;
  /** Throws when the saved state does not fit the Machine; compare `shape` first. Consumes `persisted`. */
  restore(workflow: Workflow, persisted: JsonObject): Snapshot;
  advance(workflow: Workflow, snapshot: Snapshot, event: MachineEvent): StepResult;
  /** Results of actors, as the events that the Machine takes. */
  doneEvent(id: string, output: unknown): MachineEvent;
  errorEvent(id: string, error: unknown): MachineEvent;
  runActor(
    workflow: Workflow,
    start: Pick<StartAction, 'id' | 'src' | 'input' | 'syncSnapshot'>,
    options: RunActorOptions,
  ): RunningActor;

  /** Every actor of the snapshot, finished ones too (`active: false`). */
  invocations(workflow: Workflow, snapshot: Snapshot): Invocation[];
  menu(workflow: Workflow, slot: string): MenuItem[];
  /** The invoking state's own set: outside it a pick is `refused`. */
  ownPicks(workflow: Workflow, snapshot: Snapshot, invokeId: string): string[];
  /** The own set, narrowed to what its guards would take now. */
  allowedPicks(workflow: Workflow, snapshot: Snapshot, invokeId: string): string[];
  gateAccepts(workflow: Workflow, snapshot: Snapshot, invokeId: string): MenuItem[];
  atRest(workflow: Workflow, snapshot: Snapshot, invokeId: string): boolean;
  /** Whether the actor `invokeId` still belongs to an active state. */
  stateActive(workflow: Workflow, snapshot: Snapshot, invokeId: string): boolean;

  checkRunInput(workflow: Workflow, input: unknown): CheckedInput;
  checkInput(workflow: Workflow, eventName: string, input: unknown): CheckedInput;
  /** What the receipt of a pick carries back at Rest. */
  answerOf(workflow: Workflow, eventName: string, snapshot: Snapshot, event: MachineEvent): Answer;
}
