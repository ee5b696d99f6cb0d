/** The conversation as data: what its log says, and nothing else. */
import type { AgentDefinition, MenuItem, Message, PendingPick, StreamedRecord } from '../turn/port.ts';

export type SettlementCode =
  | 'aborted'
  | 'turn_over'
  | 'engine_failed'
  | 'surface_unreachable'
  | 'surface_refused'
  | 'runaway'
  | 'limit_exceeded'
  | 'harness_restarted';

/** How a Submission ended. */
export interface Settlement {
  readonly outcome: 'completed' | 'failed' | 'aborted';
  readonly error?: { readonly code: SettlementCode; readonly message: string };
}

/** What every record of the stream carries; `at` is RFC 3339. */
export interface Stamp {
  readonly submissionId: string;
  readonly turnId?: string;
  readonly at: string;
}

/** A record that readers see. */
export type PublicRecord = Stamp &
  (
    | { readonly type: 'submission.queued' }
    | { readonly type: 'submission.started' }
    | StreamedRecord
    | ({ readonly type: 'submission.settled' } & Settlement)
  );

/** The admitted prompt, with the Agent resolved: what a turn needs to start. */
export interface Prompt {
  readonly agentName: string;
  readonly definition: AgentDefinition;
  readonly message: string;
  readonly notices: readonly string[];
  /** W3C trace context of the admission, passed on with what its turn asks (TW-GEN-015). */
  readonly traceparent?: string;
}

/** A record that the log keeps and no reader sees. */
export type HiddenRecord =
  | {
      readonly type: 'private.created';
      readonly iid: string;
      readonly name: string;
      readonly incarnation: string;
      readonly at: string;
    }
  | ({ readonly type: 'private.admitted'; readonly key?: string; readonly digest: string } & Stamp & Prompt)
  | {
      readonly type: 'private.abort';
      readonly at: string;
      /** The Submissions that this abort ends, in admission order. */
      readonly targets: readonly string[];
      /** A turn that was not admitted yet, and until when it is remembered (milliseconds since the epoch). */
      readonly remember?: { readonly turnId: string; readonly until: number };
    }
  | { readonly type: 'private.menu'; readonly menu: readonly MenuItem[] }
  | { readonly type: 'private.pick'; readonly submissionId: string; readonly pick: PendingPick | null }
  | { readonly type: 'private.freed'; readonly iid: string; readonly name: string; readonly at: string };

export type LogRecord = PublicRecord | HiddenRecord;

/** Whether readers may see it. */
export const isPublic = (record: LogRecord): record is PublicRecord => !record.type.startsWith('private.');

export interface Submission {
  readonly submissionId: string;
  readonly turnId?: string;
  /** Its place in the order of admission. */
  readonly order: number;
  readonly state: 'queued' | 'running' | 'waiting' | 'settled';
  /** Milliseconds since the epoch. */
  readonly admittedAt: number;
  /** Absent once settled: nothing needs it any more. */
  readonly prompt?: Prompt;
  /** An abort was acknowledged or is about to be; it never starts, and if it runs it is being ended. */
  readonly aborting?: true;
  /** The last pick that was saved before it was sent, not answered yet. */
  readonly pick?: PendingPick;
  readonly settlement?: Settlement;
}

export interface ConversationState {
  readonly iid: string;
  readonly name: string;
  readonly incarnation: string;
  /** Not settled, in admission order. Only the first can run. */
  readonly live: readonly Submission[];
  readonly settled: readonly Submission[];
  /** Idempotency keys of this conversation: the digest of the body, and what it became. */
  readonly keys: ReadonlyMap<string, { readonly digest: string; readonly submissionId: string }>;
  readonly messages: readonly Message[];
  readonly menu?: readonly MenuItem[];
  /** Turns that were aborted before they were admitted. */
  readonly fences: readonly { readonly turnId: string; readonly until: number }[];
  /** Milliseconds since the epoch of the last settlement. */
  readonly settledAt?: number;
  /** It was freed; nothing of it is left but this. */
  readonly freed?: true;
}

export const emptyConversation = (iid: string, name: string, incarnation: string): ConversationState => ({
  iid,
  name,
  incarnation,
  live: [],
  settled: [],
  keys: new Map(),
  messages: [],
  fences: [],
});

/** Every Submission in admission order. */
export const submissionsOf = (state: ConversationState): readonly Submission[] =>
  [...state.settled, ...state.live].sort((a, b) => a.order - b.order);
