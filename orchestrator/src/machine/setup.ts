/** XState's `setup` with a vocabulary, Agents and the gate; what XState knows about the Machine keeps working. */
import type { EventObject, MachineContext, MetaObject, NonReducibleUnknown } from 'xstate';
import { setup as xstateSetup } from 'xstate';
import { z } from 'zod';
import { MAX_MICROSTEPS } from '../limits.ts';
import { type GateLogic, inertLogic } from './markers.ts';
import type { Actors, Agents, Children, Events, MachineSetup, Params, SetupOptions } from './setup-types.ts';
import { type Vocabulary, withVocabulary } from './vocabulary.ts';

/** `gate`: parks a state until one of the `outside` events that its transitions name arrives. */
export const gate = inertLogic({ kind: 'gate' }) as unknown as GateLogic;

interface LooseConfig {
  options?: { maxIterations?: number };
}

/**
 * Sets up a workflow's Machine. Takes what XState's `setup` takes, and `input`, `events`, `agents`.
 *
 * An event arrives as `{ type: name, input }`. `invoke: { src: '<slot>' }` runs a turn of that Agent, `invoke: { src: 'gate' }`
 * waits for an outside decision (TW-AUT).
 */
export function setup<
  TContext extends MachineContext,
  const TEvents extends Events,
  TAgents extends Agents = Record<never, never>,
  TInput extends z.ZodType = z.ZodUnknown,
  TActors extends Actors = Record<never, never>,
  TChildren extends Children = Record<never, never>,
  TActions extends Params = Record<never, never>,
  TGuards extends Params = Record<never, never>,
  TDelay extends string = never,
  TTag extends string = string,
  TOutput extends NonReducibleUnknown = NonReducibleUnknown,
  TEmitted extends EventObject = EventObject,
  TMeta extends MetaObject = MetaObject,
>(
  options: SetupOptions<
    TContext,
    TEvents,
    TAgents,
    TInput,
    TActors,
    TChildren,
    TActions,
    TGuards,
    TDelay,
    TTag,
    TOutput,
    TEmitted,
    TMeta
  >,
): MachineSetup<
  TContext,
  TEvents,
  TAgents,
  TInput,
  TActors,
  TChildren,
  TActions,
  TGuards,
  TDelay,
  TTag,
  TOutput,
  TEmitted,
  TMeta
> {
  const { input, events, agents = {}, actors, ...rest } = options;
  const vocabulary: Vocabulary = { input: input ?? z.unknown(), events, agents };
  const base = xstateSetup({ ...rest, actors: { ...actors, ...agentActors(agents), gate } } as never);
  const createMachine = (config: LooseConfig) =>
    base.createMachine(
      withVocabulary({ ...config, options: { maxIterations: MAX_MICROSTEPS, ...config.options } }, vocabulary) as never,
    );
  return { ...base, createMachine } as never;
}

function agentActors(agents: Agents): Actors {
  const logic = Object.entries(agents).map(([slot, definition]) => [slot, inertLogic({ kind: 'agent', definition })]);
  return Object.fromEntries(logic) as Actors;
}
