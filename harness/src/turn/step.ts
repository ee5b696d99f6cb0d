/** The turn: (state, event) → (state, effects). Pure; the shell in `run.ts` performs the effects. */
import type { StepResult } from '../engine/port.ts';
import { finish, nextCall, picked, saving } from './calls.ts';
import { aborted, completed, deadlineExceeded, failed, stepExceeds, turnOver } from './guards.ts';
import type { Message, MessagePart, SurfaceRead, TurnRecord } from './port.ts';
import {
  type Effect,
  type Ending,
  type StepContext,
  type Stepped,
  type TurnEvent,
  type TurnState,
  unansweredCalls,
} from './state.ts';
import { allowedPicks, allowedPicksChanged, inDoubt, notExecuted } from './texts.ts';

const still = (state: TurnState): Stepped => ({ state, effects: [] });

/** An event that does not fit the phase changes nothing: it was overtaken by an abort or a deadline. */
export function step(state: TurnState, event: TurnEvent, context: StepContext): Stepped {
  switch (event.type) {
    case 'begin':
      return begin(state);
    case 'suspend':
      return still(state);
    case 'surface':
      if (state.phase === 'opening') return open(state, event.read, context);
      return state.phase === 'boundary' ? goOn(state, event.read, context) : still(state);
    case 'answered':
      return state.phase === 'asking' ? answered(state, event.messageId, event.result, context) : still(state);
    case 'engine_failed':
      if (state.phase !== 'asking') return still(state);
      return stopAsking(state, event, failed('engine_failed', event.message), context);
    case 'outstanding':
      return state.phase === 'picking' ? outstanding(state, event.deliveryId) : still(state);
    case 'picked':
      return state.phase === 'picking' ? picked(state, event.result, event.ms, context) : still(state);
    case 'aborted':
      return stop(state, event, aborted, context);
    case 'deadline':
      return stop(
        state,
        event,
        deadlineExceeded(state.definition.limits, context.now - state.progress.startedAt),
        context,
      );
  }
}

/** A resumed turn stands where it stood: its pick is taken and outstanding, so it is polled and nothing is sent. */
function begin(state: TurnState): Stepped {
  if (state.pick === undefined) return { state, effects: [{ type: 'read', step: false }] };
  const { pick, progress } = state;
  return {
    state,
    effects: [
      { type: 'waiting', deliveryId: pick.deliveryId },
      { type: 'deliver', pick, clientDeliveryIds: progress.clientDeliveryIds, resume: true },
    ],
  };
}

/** The first surface read (TW-TRN-001, TW-TRN-002, TW-TRN-015). */
function open(state: TurnState, read: SurfaceRead, context: StepContext): Stepped {
  if (read.status === 'turn_over') return finish(state, turnOver, [], context);
  if (read.status === 'unreachable') return finish(state, failed('surface_unreachable', read.message), [], context);
  if (read.status === 'refused') return finish(state, failed('surface_refused', read.message), [], context);
  if (read.status === 'unchanged')
    return finish(state, failed('surface_refused', 'the surface answered 304 to a read without an ETag'), [], context);
  if (isOtherTurn(state, read.turnId)) return finish(state, turnOver, [], context);
  const fresh: TurnState = {
    ...state,
    turnId: read.turnId,
    menu: state.menuSaved ? state.menu : read.menu,
    menuSaved: true,
    progress: { ...listed(state, read), told: read.allowed },
  };
  const messages = [...healed(state.history, context), firstMessage(state, read.allowed, context)];
  const menu: TurnRecord[] = state.menuSaved ? [] : [{ type: 'private.menu', menu: read.menu }];
  return ask({ ...fresh, history: [...state.history, ...messages] }, [...menu, ...messages.map(appended)], context);
}

const isOtherTurn = (state: TurnState, turnId: string) => state.turnId !== '' && state.turnId !== turnId;

const appended = (message: Message): TurnRecord => ({ type: 'message.appended', message });

function listed(state: TurnState, read: Extract<SurfaceRead, { status: 'ok' }>): TurnState['progress'] {
  const { etag: _, ...progress } = state.progress;
  return {
    ...progress,
    listed: read.allowed,
    clientDeliveryIds: read.clientDeliveryIds,
    ...(read.etag !== undefined && { etag: read.etag }),
  };
}

/** The message, the notices, and last the Allowed picks (TW-TRN-004). */
function firstMessage(state: TurnState, allowed: readonly string[], context: StepContext): Message {
  const { message, notices } = state.opening;
  return userMessage([message, ...notices, allowedPicks(allowed)], context);
}

function userMessage(texts: readonly string[], context: StepContext): Message {
  return { id: context.newId('msg'), role: 'user', parts: texts.map((text) => ({ type: 'text', text })) };
}

/**
 * A turn that died with its process can leave tool calls without a result, which providers refuse. Of the first of
 * them nobody knows whether it was sent; the later ones never were.
 */
function healed(history: readonly Message[], context: StepContext): Message[] {
  return unansweredCalls(history).map((call, index) => {
    const text = index === 0 ? inDoubt(call.name) : notExecuted(call.name);
    const part: MessagePart = { type: 'tool-result', id: call.id, name: call.name, text, isError: index > 0 };
    return { id: context.newId('msg'), role: 'tool', parts: [part] };
  });
}

/** The read at a step boundary: only a turn that is over ends it, any other failure keeps the last list (TW-TRN-006). */
function goOn(state: TurnState, read: SurfaceRead, context: StepContext): Stepped {
  if (read.status === 'turn_over') return finish(state, turnOver, [], context);
  if (read.status === 'ok' && isOtherTurn(state, read.turnId)) return finish(state, turnOver, [], context);
  if (read.status !== 'ok' && read.status !== 'unchanged') return ask(state, [], context);
  const seen = read.status === 'ok' ? { ...state, progress: listed(state, read) } : state;
  const { listed: now, told } = seen.progress;
  if (isSameList(now, told)) return ask(seen, [], context);
  const message = userMessage([allowedPicksChanged(now)], context);
  const restated = { ...seen, progress: { ...seen.progress, told: now }, history: [...seen.history, message] };
  return ask(restated, [appended(message)], context);
}

const isSameList = (a: readonly string[], b: readonly string[]) =>
  [...a].sort().join('\n') === [...b].sort().join('\n');

function ask(state: TurnState, records: readonly TurnRecord[], context: StepContext): Stepped {
  const asking: Effect = { type: 'ask', messageId: context.newId('msg') };
  return { state: { ...state, phase: 'asking' }, effects: [...saving(records), asking] };
}

/** One step of the model: its message is kept, its calls are made, and without any the turn is completed. */
function answered(state: TurnState, messageId: string, result: StepResult, context: StepContext): Stepped {
  const calls = result.toolCalls.map(
    (call): MessagePart => ({ type: 'tool-call', id: call.id, name: call.name, input: call.input }),
  );
  const message: Message = { id: messageId, role: 'assistant', parts: [...result.parts, ...calls] };
  const tokens = state.progress.tokens + result.usage.inputTokens + result.usage.outputTokens;
  const said = message.parts.length > 0;
  const heard: TurnState = {
    ...state,
    history: said ? [...state.history, message] : state.history,
    progress: { ...state.progress, tokens },
    calls: result.toolCalls,
  };
  const records: TurnRecord[] = [...(said ? [appended(message)] : []), { type: 'usage', ...result.usage }];
  const exceeded = stepExceeds(state.definition.limits, result, tokens);
  if (exceeded !== undefined) return finish(heard, exceeded, records, context);
  return result.toolCalls.length === 0 ? finish(heard, completed, records, context) : nextCall(heard, records, context);
}

/**
 * The record first, then the slot: a reader who knows that it waits can rely on it. An Orchestrator that does not take
 * our ids has named one of its own; that is the one to poll after a restart.
 */
function outstanding(state: TurnState, deliveryId: string): Stepped {
  if (state.waiting || state.pick === undefined) return still(state);
  const pick = { ...state.pick, deliveryId };
  const renamed: TurnRecord[] = deliveryId === state.pick.deliveryId ? [] : [{ type: 'private.pick', pick }];
  return {
    state: { ...state, pick, waiting: true },
    effects: [
      { type: 'save', records: [...renamed, { type: 'submission.waiting', deliveryId }] },
      { type: 'waiting', deliveryId },
    ],
  };
}

/** An abort or the deadline. A pick in flight is looked up first and its result kept (TW-ABT-007). */
function stop(
  state: TurnState,
  said: { messageId: string; text: string },
  ending: Ending,
  context: StepContext,
): Stepped {
  if (state.phase === 'ended') return still(state);
  if (state.phase === 'picking')
    return { state: { ...state, ending: state.ending ?? ending }, effects: [{ type: 'cancel' }] };
  if (state.phase === 'asking') return stopAsking(state, said, ending, context);
  return cancelled(finish(state, ending, [], context));
}

/** What the model had said is kept in the history (TW-ABT-008); a call that was not whole is not. */
function stopAsking(
  state: TurnState,
  said: { messageId: string; text: string },
  ending: Ending,
  context: StepContext,
): Stepped {
  if (said.text === '') return cancelled(finish(state, ending, [], context));
  const message: Message = { id: said.messageId, role: 'assistant', parts: [{ type: 'text', text: said.text }] };
  const heard = { ...state, history: [...state.history, message] };
  return cancelled(finish(heard, ending, [appended(message)], context));
}

const cancelled = (stepped: Stepped): Stepped => ({ ...stepped, effects: [{ type: 'cancel' }, ...stepped.effects] });
