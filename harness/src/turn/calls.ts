/** The tool calls of one step, one after another (TW-TRN-008). Pure. */
import type { ToolCall } from '../engine/port.ts';
import { callForbidden, completed, countRepeats, turnOver } from './guards.ts';
import type { Message, MessagePart, PendingPick, PickResult, TurnRecord } from './port.ts';
import type { Effect, Ending, StepContext, Stepped, TurnState } from './state.ts';
import { malformedCall, notExecuted, runawayCall, unknownCall } from './texts.ts';

/** Goes on with the next call, or to the step boundary when there is none. `records` are owed and saved with what follows. */
export function nextCall(state: TurnState, records: readonly TurnRecord[], context: StepContext): Stepped {
  const call = state.calls[0];
  if (call === undefined) return boundary(state, records);
  const forbidden = callForbidden(state.definition.limits, state.progress, call);
  if (forbidden !== undefined) return forbid(state, call, forbidden, records, context);
  const unreadable = whyUnreadable(state, call);
  return unreadable === undefined
    ? deliverCall(state, call, records, context)
    : answerHere(state, call, unreadable, records, context);
}

function boundary(state: TurnState, records: readonly TurnRecord[]): Stepped {
  const { etag } = state.progress;
  return {
    state: { ...state, phase: 'boundary' },
    effects: [...saving(records), { type: 'read', step: true, ...(etag !== undefined && { etag }) }],
  };
}

/** Nothing to save, nothing to do. */
export const saving = (records: readonly TurnRecord[]): Effect[] =>
  records.length === 0 ? [] : [{ type: 'save', records }];

/** A call that the Menu cannot take never becomes a pick: the model is told, the wire is not bothered. */
function whyUnreadable(state: TurnState, call: ToolCall): string | undefined {
  const known = state.menu.some((item) => item.name === call.name);
  if (!known) return unknownCall(call.name, state.progress.told);
  if (call.malformed !== undefined) return malformedCall(call.name, call.malformed, state.progress.told);
  const isObject = typeof call.input === 'object' && call.input !== null && !Array.isArray(call.input);
  return isObject ? undefined : malformedCall(call.name, 'the input is not a JSON object', state.progress.told);
}

function answerHere(
  state: TurnState,
  call: ToolCall,
  text: string,
  records: readonly TurnRecord[],
  context: StepContext,
): Stepped {
  const answered = settleCall(counted(state, call), call, { text, isError: true }, context);
  const told: TurnRecord[] = [
    { type: 'tool.called', name: call.name },
    { type: 'tool.answered', name: call.name, outcome: 'refused', ms: 0 },
    { type: 'message.appended', message: answered.message },
  ];
  return nextCall(answered.state, [...records, ...told], context);
}

function counted(state: TurnState, call: ToolCall, code?: PickResult['code']): TurnState {
  const repeated = countRepeats(state.progress.repeated, call, code);
  return { ...state, progress: { ...state.progress, repeated, toolCalls: state.progress.toolCalls + 1 } };
}

/** The id is minted and saved before anything is sent: after a crash there is something to look up. */
function deliverCall(state: TurnState, call: ToolCall, records: readonly TurnRecord[], context: StepContext): Stepped {
  const pick: PendingPick = {
    deliveryId: context.newId('dlv'),
    toolCallId: call.id,
    turnId: state.turnId,
    event: call.name,
    input: call.input,
    progress: state.progress,
  };
  const owed: TurnRecord[] = [...records, { type: 'tool.called', name: call.name }, { type: 'private.pick', pick }];
  return {
    state: { ...state, phase: 'picking', pick, waiting: false },
    effects: [
      { type: 'save', records: owed },
      { type: 'deliver', pick, clientDeliveryIds: state.progress.clientDeliveryIds, resume: false },
    ],
  };
}

/** The pick has its outcome: it becomes the result of its tool call, and the turn goes on or ends (TW-TRN-009, TW-TRN-010). */
export function picked(state: TurnState, result: PickResult, ms: number, context: StepContext): Stepped {
  const { pick, ...rest } = state;
  if (pick === undefined) return { state, effects: [] };
  const call = state.calls[0] ?? { id: pick.toolCallId, name: pick.event, input: pick.input };
  const after = counted({ ...rest, waiting: false }, call, result.code);
  const told =
    result.allowed === undefined ? after : { ...after, progress: { ...after.progress, told: result.allowed } };
  const answered = settleCall(told, call, { text: result.text, isError: result.kind === 'error' }, context);
  const records: TurnRecord[] = [
    { type: 'tool.answered', name: call.name, outcome: result.code, ms },
    { type: 'message.appended', message: answered.message },
    { type: 'private.pick', pick: null },
  ];
  const ending = state.ending ?? (result.turnComplete ? completed : result.code === 'turn_over' ? turnOver : undefined);
  if (ending !== undefined) return finish(answered.state, ending, records, context);
  const next = nextCall(answered.state, records, context);
  // The slot first: a process that dies while it waits for one finds the pick still pending, and polls again.
  const slot: Effect[] = state.waiting ? [{ type: 'waiting', deliveryId: null }] : [];
  return { state: next.state, effects: [...slot, ...next.effects] };
}

function settleCall(
  state: TurnState,
  call: ToolCall,
  result: { text: string; isError: boolean },
  context: StepContext,
): { state: TurnState; message: Message } {
  const part: MessagePart = { type: 'tool-result', id: call.id, name: call.name, ...result };
  const message: Message = { id: context.newId('msg'), role: 'tool', parts: [part] };
  return { state: { ...state, calls: state.calls.slice(1), history: [...state.history, message] }, message };
}

/** The call that trips a guard is answered too: a history with an unanswered call is refused by providers. */
function forbid(
  state: TurnState,
  call: ToolCall,
  ending: Ending,
  records: readonly TurnRecord[],
  context: StepContext,
): Stepped {
  const text = runawayCall(call.name, ending.error?.message ?? '');
  const answered = settleCall(state, call, { text, isError: true }, context);
  return finish(answered.state, ending, [...records, { type: 'message.appended', message: answered.message }], context);
}

/** Ends the turn. Calls that were never made say so in the history. */
export function finish(
  state: TurnState,
  ending: Ending,
  records: readonly TurnRecord[],
  context: StepContext,
): Stepped {
  let at = state;
  const rest: TurnRecord[] = [];
  for (const call of state.calls) {
    const answered = settleCall(at, call, { text: notExecuted(call.name), isError: true }, context);
    at = answered.state;
    rest.push({ type: 'message.appended', message: answered.message });
  }
  return {
    state: { ...at, phase: 'ended' },
    effects: [{ type: 'end', ending, records: [...records, ...rest] }],
  };
}
