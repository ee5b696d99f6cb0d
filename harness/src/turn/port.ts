/**
 * What the turn loop needs from the rest of the Harness, and what it gives back.
 * The caller owns the conversation's log, the queue and the settlement record; the turn owns everything between.
 */
import type { Delivered } from '@turnwire/sdk';
import type { Engine } from '../engine/port.ts';

/** One part of a stored message; the shape on the wire (`view=history`). */
export type MessagePart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool-call'; readonly id: string; readonly name: string; readonly input: unknown }
  | {
      readonly type: 'tool-result';
      readonly id: string;
      readonly name: string;
      readonly text: string;
      readonly isError: boolean;
    };

/** One message of a conversation, as it is stored and served. */
export interface Message {
  readonly id: string;
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly parts: readonly MessagePart[];
}

/** One tool of the Menu. Its bytes never change within a conversation. */
export interface MenuItem {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of the pick's payload. */
  readonly input: unknown;
}

/** Limits of a definition or an admission; each absent one does not apply. */
export interface Limits {
  readonly maxToolCalls?: number;
  /** Tokens of one step. */
  readonly maxOutputTokens?: number;
  /** Input and output tokens of the whole turn. */
  readonly maxTotalTokens?: number;
  readonly deadlineSeconds?: number;
}

/** The Agent that runs, after the admission's own fields were laid over it. */
export interface AgentDefinition {
  /** `provider/model`, one that `knownModel` accepts. */
  readonly model: string;
  readonly instructions: string;
  readonly limits?: Limits;
  readonly thinkingLevel?: string;
}

/**
 * A pick that is saved before it is sent, with everything the turn needs to go on after a restart.
 * The log keeps it and gives it back unread as `TurnInput.resume`.
 */
export interface PendingPick {
  readonly deliveryId: string;
  readonly toolCallId: string;
  readonly turnId: string;
  readonly event: string;
  readonly input: unknown;
  /** The counters and the told list; opaque to the caller. JSON. */
  readonly progress: TurnProgress;
}

/** What the guards and limits have counted so far in this turn, and what the model was told last. JSON. */
export interface TurnProgress {
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly toolCalls: number;
  readonly tokens: number;
  /** The last call that reached the workflow and moved nothing, and how often in a row. */
  readonly repeated: { readonly key: string; readonly count: number };
  /** The Allowed picks that the model was told last, receipts included. */
  readonly told: readonly string[];
  /** The Allowed picks of the last surface read, which is what `etag` stands for. */
  readonly listed: readonly string[];
  readonly etag?: string;
  readonly clientDeliveryIds: boolean;
}

/** Records of the stream (wire.md); the caller adds `submissionId`, `turnId` and `at`. */
export type StreamedRecord =
  | { readonly type: 'submission.waiting'; readonly deliveryId: string }
  | { readonly type: 'message.appended'; readonly message: Message }
  | { readonly type: 'message.delta'; readonly messageId: string; readonly text: string }
  | { readonly type: 'tool.called'; readonly name: string }
  | { readonly type: 'tool.answered'; readonly name: string; readonly outcome: string; readonly ms: number }
  | {
      readonly type: 'usage';
      readonly inputTokens: number;
      readonly outputTokens: number;
      readonly cachedInputTokens?: number;
    };

/** Kept in the same log and never served to a reader. */
export type PrivateRecord =
  /** The tools block of the conversation, once, at its first turn. */
  | { readonly type: 'private.menu'; readonly menu: readonly MenuItem[] }
  /** Saved before the pick is sent; replaced by the next one, cleared by `null` together with its answer. */
  | { readonly type: 'private.pick'; readonly pick: PendingPick | null };

export type TurnRecord = StreamedRecord | PrivateRecord;

/** Everything the turn starts from. */
export interface TurnInput {
  readonly submissionId: string;
  /** Of the admission. Another one on the surface means that this turn is over. */
  readonly turnId?: string;
  readonly agentName: string;
  readonly iid: string;
  readonly definition: AgentDefinition;
  readonly message: string;
  readonly notices: readonly string[];
  /** The conversation so far, without this turn's message (with everything appended before a restart, when resuming). */
  readonly history: readonly Message[];
  /** The stored tools block (`private.menu`), when the conversation has had a turn. */
  readonly menu?: readonly MenuItem[];
  /**
   * After a restart: the pick that was waiting. Given only if the last `private.pick` of this Submission is not null
   * and `submission.waiting` was saved for its `deliveryId`; with a pick and no `submission.waiting` the Submission
   * settles `harness_restarted` and the turn is not run.
   */
  readonly resume?: PendingPick;
  /** W3C trace context of the admission (TW-GEN-015). */
  readonly traceparent?: string;
}

/** One read of the surface; what the port returns for `GET /agents/{iid}/surface`. */
export type SurfaceRead =
  | {
      readonly status: 'ok';
      readonly turnId: string;
      readonly menu: readonly MenuItem[];
      readonly allowed: readonly string[];
      readonly clientDeliveryIds: boolean;
      readonly etag?: string;
    }
  | { readonly status: 'unchanged' }
  | { readonly status: 'turn_over' }
  /** No answer of ours within the window. */
  | { readonly status: 'unreachable'; readonly message: string }
  /** An answer of ours that is final and is not `turn_over`. */
  | { readonly status: 'refused'; readonly message: string };

/** The way to the Orchestrator, which is its Custodian; `agentSurface(connection)` makes one from the SDK. */
export interface AgentSurface {
  /** `step`: at a step boundary, one attempt of 2 s. Never throws for a failure on the wire. */
  read(
    request: { iid: string; etag?: string; step: boolean },
    signal: AbortSignal,
    traceparent?: string,
  ): Promise<SurfaceRead>;
  /** Every outcome is a value. After the signal is aborted it ends within 2 s. */
  deliver(request: PickRequest, signal: AbortSignal, traceparent?: string): Promise<PickResult>;
}

/** The part of an outcome that the turn goes by. */
export type PickResult = Pick<Delivered, 'code' | 'kind' | 'text' | 'allowed' | 'turnComplete'>;

export interface PickRequest {
  readonly iid: string;
  readonly turnId: string;
  readonly deliveryId: string;
  readonly event: string;
  readonly input: unknown;
  readonly clientDeliveryIds: boolean;
  /** A pick that is known to be taken and outstanding is polled and never sent again. */
  readonly resume: boolean;
  /** Called once, before the polling begins; the poll starts when it resolves. */
  onOutstanding(deliveryId: string): Promise<void>;
}

/** Time as the turn sees it: `{ now: Date.now, sleep: systemClock.sleep }`. */
export interface TurnClock {
  /** Milliseconds since the epoch: a deadline goes on while the process is down. */
  now(): number;
  /** Resolves after `ms`, or at once when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface TurnPorts {
  readonly surface: AgentSurface;
  readonly engine: Engine;
  readonly clock: TurnClock;
  /** A fresh id with this prefix (`msg`, `dlv`). */
  readonly newId: (prefix: string) => string;
  /** Aborts the turn: settled `aborted` within 1 s, plus at most 2 s for a pick in flight. */
  readonly signal: AbortSignal;
  /** Leaves a turn that only waits for a delivery where it is on disk: `suspended`. Ignored in any other state. */
  readonly suspend?: AbortSignal;
  /** Durable before it resolves, in this order; all of one call or none. Never rejects (a failed write ends the process). */
  save(records: readonly TurnRecord[]): Promise<void>;
  /**
   * With an id: the turn only waits now, its slot is free. With null: it wants to go on; the turn proceeds when the
   * promise resolves (a slot was found again).
   */
  onWaiting(deliveryId: string | null): void | Promise<void>;
}

export type TurnErrorCode =
  | 'aborted'
  | 'turn_over'
  | 'engine_failed'
  | 'surface_unreachable'
  | 'surface_refused'
  | 'runaway'
  | 'limit_exceeded';

/**
 * How the turn ended. `records` are to be saved in the same write as `submission.settled`, before it, so that the
 * answer of the last pick and the settlement are one.
 */
export type TurnEnd =
  | {
      readonly outcome: 'completed' | 'failed' | 'aborted';
      readonly error?: { readonly code: TurnErrorCode; readonly message: string };
      readonly records: readonly TurnRecord[];
    }
  | { readonly outcome: 'suspended' };

/** `runTurn` of `turn/run.ts`. It rejects only for a programmer's error. */
export type RunTurn = (input: TurnInput, ports: TurnPorts) => Promise<TurnEnd>;
