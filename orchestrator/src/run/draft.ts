/**
 * One step of a run's ledger while it is being made: a working copy of the state, and the rows that go with it. Steps are
 * pure seen from outside (the copy is theirs, time and ids come from `env`) and write plainly inside.
 */

import type { NodeNow } from '../executions/restart-wait.ts';
import type { JsonObject, JsonValue } from './json.ts';
import type { CustomAction, Machines, Snapshot, Workflow } from './machines.ts';
import type { DeliveryRow, ExecutionRow, FeedRow, IntentChange, IntentRow, KeyRow, TurnRow } from './rows.ts';
import type { RunState, Turn } from './state.ts';

/** What is known of a placement when a step is made. */
export interface KnownPlacement {
  baseUrl?: string;
  store?: string;
  /** Absent: not known. */
  fencedAbort?: boolean;
  /** The record of the node that goes by that name, if one has registered. */
  node?: NodeNow;
}

export interface Env {
  machines: Machines;
  workflow: Workflow;
  /** Milliseconds since the epoch. */
  now: number;
  newId(kind: IdKind): string;
  placement(name: string): KnownPlacement;
  /** Agents without a placement of their own run there. */
  defaultPlacement: string;
  /** How long the record of a node may stand still before it is not waited for any more, in milliseconds; negative: not at all. */
  restartGraceMs: number;
}

export type IdKind = 'run' | 'turn' | 'key' | 'execution' | 'gate' | 'delivery' | 'actor' | 'act';

/** A run as a step takes it: what is saved, and the same snapshot as the machine wants it. */
export interface Run {
  state: RunState;
  snapshot: Snapshot;
}

/** Whose doing a machine event is: decides whether a left turn was left by its own pick (TW-RUN-015, TW-RUN-016). */
export type Cause =
  | { kind: 'begin' | 'timer' | 'fault' | 'action' | 'cancelled' }
  | { kind: 'pick'; turnId: string }
  | { kind: 'inside'; stateId: string };

export interface Draft {
  env: Env;
  state: RunState;
  snapshot: Snapshot;
  changed: boolean;
  /** The delivery that this step takes. */
  picked?: { turnId: string; deliveryId: string };
  /** The gate answer that this step takes. */
  answering?: { gateId: string; event: string };
  /** The machine has failed, and the run ends with this step. */
  failing?: boolean;
  /** Turns of this very step: left again, they were never asked for. */
  opened: Set<string>;
  turns: Map<string, TurnRow>;
  deliveries: Map<string, DeliveryRow>;
  executions: Map<string, ExecutionRow>;
  intents: Map<string, IntentRow>;
  intentChanges: Map<string, IntentChange>;
  keys: KeyRow[];
  feed: Omit<FeedRow, 'seq'>[];
  /** Author's actions of this step, by the id of their act. */
  actions: Map<string, CustomAction[]>;
}

export function draftOf(run: Run, env: Env): Draft {
  const { state } = run;
  return {
    env,
    state: {
      ...state,
      turns: state.turns.map((turn) => ({ ...turn })),
      conversations: state.conversations.map((conversation) => ({ ...conversation })),
      gates: [...state.gates],
      deadlines: [...state.deadlines],
      actors: [...state.actors],
      acts: [...state.acts],
    },
    snapshot: run.snapshot,
    changed: false,
    opened: new Set(),
    turns: new Map(),
    deliveries: new Map(),
    executions: new Map(),
    intents: new Map(),
    intentChanges: new Map(),
    keys: [],
    feed: [],
    actions: new Map(),
  };
}

/** One committed frame of the run's feed. */
export function tell(draft: Draft, type: string, record: string, data: { [key: string]: JsonValue | undefined }): void {
  const kept = Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined)) as JsonObject;
  draft.feed.push({ runId: draft.state.runId, type, record, at: draft.env.now, data: kept });
}

export const turnById = (draft: Draft, turnId: string): Turn | undefined =>
  draft.state.turns.find((turn) => turn.turnId === turnId);

export function changeIntent(draft: Draft, key: string, change: Omit<IntentChange, 'key'>): void {
  const fresh = draft.intents.get(key);
  if (fresh) draft.intents.set(key, { ...fresh, ...change });
  else draft.intentChanges.set(key, { ...draft.intentChanges.get(key), ...change, key });
}
