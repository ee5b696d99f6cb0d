/**
 * The run's ledger as a pure step: `(run, event, env) → (run, rows, effects)`. Nothing happens here; the rows and the new
 * state are committed in one transaction, and what is owed after it is `owed(state)` (TW-DUR-011).
 */
import {
  type AdmissionFault,
  type AdmittedEvent,
  abortAcknowledged,
  aborting,
  admissionFailed,
  admitted,
  blockedTooLong,
  type CopyEvent,
  dispatch,
  notTaken,
  type StreamFault,
  settled,
  streamFailed,
} from './admissions.ts';
import { conclude } from './conclude.ts';
import { type Cause, type Draft, draftOf, type Env, type Run, tell } from './draft.ts';
import { drive, driveBegin } from './drive.ts';
import { cancel } from './end.ts';
import { cancelExecution, heard, type Swept, swept } from './ending-executions.ts';
import { answerGate, type GateAnswer } from './gate-answers.ts';
import { look, type RefusedEvent, refusedByNode } from './holding.ts';
import type { JsonValue } from './json.ts';
import type { CustomAction, MachineEvent } from './machines.ts';
import { post } from './mail.ts';
import { type PickRequest, pick, tellOutstanding } from './picks.ts';
import type { RunRow, Writes } from './rows.ts';
import { type CallState, isLive, type RunState, type Settlement } from './state.ts';

export type RunEvent =
  | { type: 'pick'; request: PickRequest }
  | { type: 'gate'; answer: GateAnswer }
  | { type: 'cancel'; reason?: string }
  /** From an author's actor; `last`: it has ended, its key says which start of it. */
  | { type: 'actor'; id: string; key: string; event: MachineEvent; last: boolean }
  | { type: 'timer'; id: string; at: number }
  /** What an author's action sent to its own machine when it had ended already: from a timer of its own, say. */
  | { type: 'sent'; event: MachineEvent }
  /** The actions of an act have run, and this is what they sent to their own machine meanwhile. */
  | { type: 'acted'; act: string; sent: readonly MachineEvent[] }
  | ({ type: 'dispatch' } & CopyEvent)
  | ({ type: 'notTaken' } & Omit<CopyEvent, 'store'>)
  /** By a node: what follows is read from its record. */
  | ({ type: 'refused' } & RefusedEvent)
  /** The node's record, or the time, is another one. */
  | { type: 'look'; turnId: string }
  | { type: 'cancelExecution'; executionId: string; reason?: string }
  /** Found by a sweep: nothing else would have ended it. */
  | ({ type: 'swept' } & Swept)
  | { type: 'heard'; turnId: string; at: number }
  | ({ type: 'admitted' } & AdmittedEvent)
  | ({ type: 'admissionFailed' } & AdmissionFault)
  | { type: 'settled'; turnId: string; submissionId: string; settlement: Settlement }
  | ({ type: 'streamFailed' } & StreamFault)
  | { type: 'aborting'; turnId: string; doubt: boolean }
  | { type: 'aborted'; turnId: string; fence: string }
  | { type: 'blockedTooLong'; turnId: string };

export interface StepOutcome<Reply = unknown> {
  run: Run;
  /** Nothing to commit when absent: the event changed nothing. */
  writes?: Writes;
  reply: Reply;
  /** Author's actions to run after the commit, by act. */
  actions: ReadonlyMap<string, readonly CustomAction[]>;
}

/** @throws HostRefusal when the event is not taken: then nothing changed */
export function step(run: Run, event: RunEvent, env: Env): StepOutcome {
  const draft = draftOf(run, env);
  const reply = handle(draft, event);
  if (draft.changed) conclude(draft);
  tellOutstanding(draft);
  return outcomeOf(draft, reply());
}

export interface Beginning {
  runId: string;
  input: JsonValue;
  /** The input as the workflow's schema gives it to the machine. */
  value: unknown;
  key?: { key: string; bodyHash: string };
  trace?: string;
  /** It is an ad-hoc call. */
  call?: CallState;
}

/** The run's first step: it is there when this is committed (TW-RUN-001). */
export function beginRun(beginning: Beginning, env: Env): StepOutcome<{ runId: string }> {
  const { runId, input } = beginning;
  const draft = draftOf({ state: emptyState(beginning, env), snapshot: undefined as never }, env);
  tell(draft, 'run.status', runId, { workflow: env.workflow.name, status: 'active' });
  const began = draft.feed[0];
  driveBegin(draft, beginning.value ?? input);
  // First in the order of the commit, and it says where the run stands after its first step.
  if (began) began.data.value = draft.state.value;
  conclude(draft);
  if (beginning.key) {
    const { key, bodyHash } = beginning.key;
    draft.keys.push({
      scope: beginning.call ? CALL_SCOPE : env.workflow.name,
      key,
      runId,
      bodyHash,
      answer: { runId },
      at: env.now,
    });
  }
  return outcomeOf(draft, { runId }) as StepOutcome<{ runId: string }>;
}

/** TW-EXE-026: one scope for all calls, which no workflow can be named. */
export const CALL_SCOPE = '/executions';

function emptyState({ runId, trace, call }: Beginning, env: Env): RunState {
  return {
    version: 1,
    runId,
    workflow: env.workflow.name,
    ...(call === undefined ? {} : { call }),
    shape: env.workflow.shape,
    status: 'active',
    ...(trace === undefined ? {} : { trace }),
    machine: {},
    value: {},
    startedAt: env.now,
    turns: [],
    conversations: [],
    gates: [],
    deadlines: [],
    actors: [],
    acts: [],
    counter: 0,
  };
}

function handle(draft: Draft, event: RunEvent): () => unknown {
  switch (event.type) {
    case 'pick':
      return pick(draft, event.request);
    case 'gate':
      return always(answerGate(draft, event.answer));
    case 'dispatch':
      return always(dispatch(draft, event));
    case 'aborting':
      return always(aborting(draft, event));
    case 'refused':
      return always(refusedByNode(draft, event));
    case 'look':
      return always(look(draft, event));
    case 'admitted':
      return always(admitted(draft, event));
    case 'admissionFailed':
      return always(admissionFailed(draft, event));
    default:
      report(draft, event);
      return always(undefined);
  }
}

const always =
  <T>(value: T) =>
  () =>
    value;

/** Events whose reply nobody reads. */
type Report = Exclude<
  RunEvent,
  { type: 'pick' | 'gate' | 'dispatch' | 'aborting' | 'refused' | 'look' | 'admitted' | 'admissionFailed' }
>;

function report(draft: Draft, event: Report): void {
  switch (event.type) {
    case 'cancel':
      cancel(draft, event.reason);
      return;
    case 'actor':
      fromActor(draft, event);
      return;
    case 'timer':
      fire(draft, event);
      return;
    case 'sent':
      whileActive(draft, event.event, { kind: 'action' });
      return;
    case 'acted':
      acted(draft, event);
      return;
    case 'notTaken':
      notTaken(draft, event);
      return;
    case 'cancelExecution':
      cancelExecution(draft, event);
      return;
    case 'swept':
      swept(draft, event);
      return;
    case 'heard':
      heard(draft, event);
      return;
    case 'settled':
      settled(draft, event);
      return;
    case 'streamFailed':
      streamFailed(draft, event);
      return;
    case 'aborted':
      abortAcknowledged(draft, event);
      return;
    case 'blockedTooLong':
      blockedTooLong(draft, event);
      return;
  }
}

function whileActive(draft: Draft, event: MachineEvent, cause: Cause): void {
  if (draft.state.status === 'active') drive(draft, event, cause);
}

/** An actor that was stopped, or started anew since, has nothing more to say. */
function fromActor(draft: Draft, event: Extract<RunEvent, { type: 'actor' }>): void {
  const actor = draft.state.actors.find((running) => running.id === event.id && running.key === event.key);
  if (!actor) return;
  if (event.last) draft.state.actors = draft.state.actors.filter((running) => running !== actor);
  whileActive(draft, event.event, { kind: 'inside', stateId: actor.stateId });
}

/** TW-DUR-015: a deadline that was cancelled or set anew does not fire. */
function fire(draft: Draft, event: { id: string; at: number }): void {
  const deadline = draft.state.deadlines.find((one) => one.id === event.id && one.at === event.at);
  if (!deadline) return;
  draft.changed = true;
  draft.state.deadlines = draft.state.deadlines.filter((one) => one !== deadline);
  if (deadline.target === undefined) whileActive(draft, deadline.event as MachineEvent, { kind: 'timer' });
  else post(draft, deadline.target, deadline.event as MachineEvent);
}

/** TW-DUR-028: the end of an act and what it sent are one commit, so that an act that is run again is taken once. */
function acted(draft: Draft, { act, sent }: Extract<RunEvent, { type: 'acted' }>): void {
  const left = draft.state.acts.filter((one) => one.id !== act);
  if (left.length === draft.state.acts.length) return;
  draft.changed = true;
  draft.state.acts = left;
  for (const event of sent) whileActive(draft, event, { kind: 'action' });
}

function outcomeOf(draft: Draft, reply: unknown): StepOutcome {
  const { state, snapshot, actions } = draft;
  const outcome = { run: { state, snapshot }, reply, actions };
  return draft.changed ? { ...outcome, writes: writesOf(draft) } : outcome;
}

function writesOf(draft: Draft): Writes {
  return {
    run: rowOf(draft.state),
    turns: [...draft.turns.values()],
    deliveries: [...draft.deliveries.values()],
    executions: [...draft.executions.values()],
    intents: [...draft.intents.values()],
    intentChanges: [...draft.intentChanges.values()],
    keys: draft.keys,
    feed: draft.feed,
  };
}

function rowOf(state: RunState): RunRow {
  const { runId, workflow, status, startedAt, endedAt } = state;
  const row = { runId, workflow, status, live: isLive(state), startedAt, document: JSON.stringify(state) };
  return endedAt === undefined ? row : { ...row, endedAt };
}
