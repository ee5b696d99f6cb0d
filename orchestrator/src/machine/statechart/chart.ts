/** From a statechart in JSON to the Machine that an author would have written with `setup`. */
import { assign, emit, fromPromise, raise } from 'xstate';
import { z } from 'zod';
import { defineAgent, defineEvent } from '../define.ts';
import { setup } from '../setup.ts';
import {
  type Action,
  type ActorData,
  type EventData,
  type Invoke,
  type OneTransition,
  type State,
  type Statechart,
  statechart,
  type Transition,
} from './document.ts';
import { evaluate, holds, type Known } from './values.ts';

/** @throws Error naming each problem with its path */
export function machineOf(json: unknown) {
  const parsed = statechart.safeParse(json);
  if (!parsed.success) throw new Error(z.prettifyError(parsed.error).replaceAll(/\s*\n\s*/g, ' '));
  const chart = parsed.data;
  return setup({
    input: schemaOf(chart.input),
    types: {} as { context: Record<string, unknown> },
    events: Object.entries(chart.events).map(([name, event]) => eventOf(name, event)),
    agents: Object.fromEntries(
      Object.entries(chart.agents ?? {}).map(([slot, agent]) => [slot, defineAgent(agent as never)]),
    ),
    actors: Object.fromEntries(Object.entries(chart.actors ?? {}).map(([name, actor]) => [name, actorOf(actor)])),
  }).createMachine(configOf(chart) as never);
}

const schemaOf = (schema: Record<string, unknown>): z.ZodType => z.fromJSONSchema(schema as never) as z.ZodType;

function eventOf(name: string, { description, by = 'agent', input, answer }: EventData) {
  return defineEvent({
    name,
    by,
    input: schemaOf(input),
    ...(description === undefined ? {} : { description }),
    ...(answer === undefined ? {} : { answer: (known) => evaluate(answer, known) }),
  });
}

function actorOf({ afterMs, output, error }: ActorData) {
  return fromPromise(async ({ input, signal }) => {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, afterMs);
      signal.addEventListener('abort', () => {
        clearTimeout(timer);
        resolve();
      });
    });
    if (error !== undefined) throw new Error(error);
    return output === undefined ? null : evaluate(output, { input });
  });
}

function configOf({ machine, context = {} }: Statechart): unknown {
  return { ...stateOf(machine), context: ({ input }: Known) => evaluate(context, { input }) };
}

function stateOf(state: State): Record<string, unknown> {
  const { entry, exit, invoke, on, after, always, onDone, output, states, ...same } = state;
  const all = (named: Record<string, Transition>) =>
    Object.fromEntries(Object.entries(named).map(([name, transition]) => [name, transitionOf(transition)]));
  return {
    ...same,
    ...(entry && { entry: entry.map(actionOf) }),
    ...(exit && { exit: exit.map(actionOf) }),
    ...(invoke && { invoke: [invoke].flat().map(invokeOf) }),
    ...(on && { on: all(on) }),
    ...(after && { after: all(after) }),
    ...(always !== undefined && { always: transitionOf(always) }),
    ...(onDone !== undefined && { onDone: transitionOf(onDone) }),
    ...(output !== undefined && { output: (known: Known) => evaluate(output, known) }),
    ...(states && {
      states: Object.fromEntries(Object.entries(states).map(([name, child]) => [name, stateOf(child)])),
    }),
  };
}

function invokeOf({ id, src, input, onDone, onError }: Invoke): Record<string, unknown> {
  return {
    src,
    ...(id !== undefined && { id }),
    ...(input !== undefined && { input: (known: Known) => evaluate(input, known) }),
    ...(onDone !== undefined && { onDone: transitionOf(onDone) }),
    ...(onError !== undefined && { onError: transitionOf(onError) }),
  };
}

function transitionOf(transition: Transition): unknown {
  if (typeof transition === 'string') return transition;
  return Array.isArray(transition) ? transition.map(oneOf) : oneOf(transition);
}

function oneOf({ target, guard, actions, reenter }: OneTransition): unknown {
  return {
    ...(target !== undefined && { target }),
    ...(reenter !== undefined && { reenter }),
    ...(guard !== undefined && { guard: (known: Known) => holds(guard, known) }),
    ...(actions && { actions: actions.map(actionOf) }),
  };
}

function actionOf(action: Action): unknown {
  if ('assign' in action) return assign((known) => evaluate(action.assign, known as Known) as never);
  if ('raise' in action) {
    const event = { type: action.raise, input: {} } as never;
    return action.delay === undefined ? raise(event) : raise(event, { delay: action.delay });
  }
  return emit(
    (known: unknown) => ({ type: action.emit, ...(evaluate(action.with ?? {}, known as Known) as object) }) as never,
  );
}
