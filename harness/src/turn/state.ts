/** The turn as data: what was said, what is pending, what the guards have counted. Everything else is in the events. */
import type { StepResult, ToolCall } from '../engine/port.ts';
import type {
  AgentDefinition,
  MenuItem,
  Message,
  PendingPick,
  PickResult,
  SurfaceRead,
  TurnErrorCode,
  TurnInput,
  TurnProgress,
  TurnRecord,
} from './port.ts';

/** How a turn ends, before its last records are known. */
export interface Ending {
  readonly outcome: 'completed' | 'failed' | 'aborted';
  readonly error?: { readonly code: TurnErrorCode; readonly message: string };
}

/**
 * `opening`: the first surface read; `boundary`: the one before a later step; `asking`: the model works;
 * `picking`: the first of `calls` is on its way; `ended`: nothing moves any more.
 */
export type Phase = 'opening' | 'boundary' | 'asking' | 'picking' | 'ended';

export interface TurnState {
  readonly phase: Phase;
  readonly definition: AgentDefinition;
  /** What is said when the turn opens; nothing of it is in the history before that. */
  readonly opening: { readonly turnId?: string; readonly message: string; readonly notices: readonly string[] };
  readonly turnId: string;
  readonly menu: readonly MenuItem[];
  readonly menuSaved: boolean;
  readonly history: readonly Message[];
  readonly progress: TurnProgress;
  /** Tool calls of the last step that have no result yet, in order. */
  readonly calls: readonly ToolCall[];
  readonly pick?: PendingPick;
  /** The pick is known to be outstanding and the slot was given back. */
  readonly waiting: boolean;
  /** Set while a pick in flight is looked up after an abort or a deadline. */
  readonly ending?: Ending;
}

export type TurnEvent =
  | { readonly type: 'begin' }
  /** Wakes the shell, which leaves a turn that only waits; the machine has no part in it. */
  | { readonly type: 'suspend' }
  | { readonly type: 'surface'; readonly read: SurfaceRead }
  | { readonly type: 'answered'; readonly messageId: string; readonly result: StepResult }
  /** `text`: what the model had said in this step until then. */
  | { readonly type: 'engine_failed'; readonly messageId: string; readonly text: string; readonly message: string }
  | { readonly type: 'outstanding'; readonly deliveryId: string }
  | { readonly type: 'picked'; readonly result: PickResult; readonly ms: number }
  | { readonly type: 'aborted'; readonly messageId: string; readonly text: string }
  | { readonly type: 'deadline'; readonly messageId: string; readonly text: string };

export type Effect =
  /** Durable before the next effect is performed. */
  | { readonly type: 'save'; readonly records: readonly TurnRecord[] }
  | { readonly type: 'read'; readonly step: boolean; readonly etag?: string }
  | { readonly type: 'ask'; readonly messageId: string }
  | {
      readonly type: 'deliver';
      readonly pick: PendingPick;
      readonly clientDeliveryIds: boolean;
      readonly resume: boolean;
    }
  | { readonly type: 'waiting'; readonly deliveryId: string | null }
  /** Ends what is in flight: the engine at once, a pick after its lookup. */
  | { readonly type: 'cancel' }
  | { readonly type: 'end'; readonly ending: Ending; readonly records: readonly TurnRecord[] };

/** Time and ids, injected. */
export interface StepContext {
  readonly now: number;
  newId(prefix: string): string;
}

export interface Stepped {
  readonly state: TurnState;
  readonly effects: readonly Effect[];
}

const nothingYet = (now: number): TurnProgress => ({
  startedAt: now,
  toolCalls: 0,
  tokens: 0,
  repeated: { key: '', count: 0 },
  told: [],
  listed: [],
  clientDeliveryIds: false,
});

/** The state before `begin`. A resumed turn stands in the tool call that was waiting. */
export function initialState(input: TurnInput, now: number): TurnState {
  const { resume } = input;
  return {
    phase: resume ? 'picking' : 'opening',
    definition: input.definition,
    opening: {
      ...(input.turnId !== undefined && { turnId: input.turnId }),
      message: input.message,
      notices: input.notices,
    },
    turnId: resume?.turnId ?? input.turnId ?? '',
    menu: input.menu ?? [],
    menuSaved: input.menu !== undefined,
    history: input.history,
    progress: resume?.progress ?? nothingYet(now),
    calls: resume ? unansweredCalls(input.history) : [],
    ...(resume && { pick: resume }),
    waiting: resume !== undefined,
  };
}

/** The tool calls of the newest answer that have no result. Ids are only unique within one answer. */
export function unansweredCalls(history: readonly Message[]): ToolCall[] {
  const at = history.findLastIndex((message) => message.role === 'assistant');
  if (at < 0) return [];
  const answered = new Set(
    history
      .slice(at + 1)
      .flatMap((message) => message.parts.map((part) => (part.type === 'tool-result' ? part.id : ''))),
  );
  return (history[at]?.parts ?? []).flatMap((part) =>
    part.type === 'tool-call' && !answered.has(part.id) ? [{ id: part.id, name: part.name, input: part.input }] : [],
  );
}
