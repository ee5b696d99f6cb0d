/** What `setup` infers: the events, actors and Machine that follow from a vocabulary and its Agents. */
import type {
  ActionFunction,
  AnyActorRef,
  Cast,
  DelayConfig,
  EventObject,
  GuardPredicate,
  Invert,
  IsNever,
  MachineConfig,
  MachineContext,
  MetaObject,
  NonReducibleUnknown,
  ParameterizedObject,
  SetupReturn,
  StateMachine,
  StateSchema,
  ToChildren,
  ToStateValue,
  UnknownActorLogic,
  Values,
} from 'xstate';
import type { z } from 'zod';
import type { AgentFault, AnyEventDefinition, EventOf } from './define.ts';
import type { AgentLogic, GateLogic } from './markers.ts';
import type { AgentDefinition, CausedBy } from './port.ts';
import type { GateMisuse } from './setup-checks.ts';

export type Params = Record<string, ParameterizedObject['params'] | undefined>;
export type Actors = Record<string, UnknownActorLogic>;
export type Agents = Record<string, AgentDefinition>;
export type Events = readonly AnyEventDefinition[];
export type Children = Record<string, string>;

type Named<T extends Params> = Values<{ [K in keyof T & string]: { type: K; params: T[K] } }>;

type Provided<TChildren extends Children, TActors extends Actors> = Values<{
  [K in keyof TActors & string]: {
    src: K;
    logic: TActors[K];
    id: IsNever<TChildren> extends true
      ? string | undefined
      : K extends keyof Invert<TChildren>
        ? Invert<TChildren>[K] & string
        : string | undefined;
  };
}>;

/** Every event that reaches the Machine: its vocabulary, and each Agent's fault. */
export type MachineEvents<TEvents extends Events, TAgents extends Agents> =
  | EventOf<TEvents[number]>
  | Values<{ [K in keyof TAgents & string]: AgentFault<K> }>;

type NamesBy<TEvents extends Events, TBy extends CausedBy> = Extract<TEvents[number], { by: TBy }>['name'];

/** The actors that a Machine may invoke: the author's own, one per Agent, and `gate`. */
export type MachineActors<TActors extends Actors, TAgents extends Agents> = TActors & {
  [K in keyof TAgents & string]: AgentLogic;
} & { gate: GateLogic };

export interface SetupOptions<
  TContext extends MachineContext,
  TEvents extends Events,
  TAgents extends Agents,
  TInput extends z.ZodType,
  TActors extends Actors,
  TChildren extends Children,
  TActions extends Params,
  TGuards extends Params,
  TDelay extends string,
  TTag extends string,
  TOutput extends NonReducibleUnknown,
  TEmitted extends EventObject,
  TMeta extends MetaObject,
> {
  /** Schema of a run's input; what it parses to is the context factory's `input`. */
  input?: TInput;
  events: TEvents;
  agents?: TAgents;
  /** Types only, as in XState: `types: {} as { context: … }`. Events and input come from their schemas. */
  types?: { context?: TContext; children?: TChildren; tags?: TTag; output?: TOutput; emitted?: TEmitted; meta?: TMeta };
  actors?: { [K in keyof TActors]: TActors[K] };
  actions?: {
    [K in keyof TActions]: ActionFunction<
      TContext,
      MachineEvents<TEvents, TAgents>,
      MachineEvents<TEvents, TAgents>,
      TActions[K],
      Provided<TChildren, MachineActors<TActors, TAgents>>,
      Named<TActions>,
      Named<TGuards>,
      TDelay,
      TEmitted
    >;
  };
  guards?: {
    [K in keyof TGuards]: GuardPredicate<TContext, MachineEvents<TEvents, TAgents>, TGuards[K], Named<TGuards>>;
  };
  delays?: {
    [K in TDelay]: DelayConfig<
      TContext,
      MachineEvents<TEvents, TAgents>,
      Named<TActions>['params'],
      MachineEvents<TEvents, TAgents>
    >;
  };
}

/** XState's own return, with a `createMachine` that also refuses a gate which takes an agent's event. */
export type MachineSetup<
  TContext extends MachineContext,
  TEvents extends Events,
  TAgents extends Agents,
  TInput extends z.ZodType,
  TActors extends Actors,
  TChildren extends Children,
  TActions extends Params,
  TGuards extends Params,
  TDelay extends string,
  TTag extends string,
  TOutput extends NonReducibleUnknown,
  TEmitted extends EventObject,
  TMeta extends MetaObject,
> = Omit<
  SetupReturn<
    TContext,
    MachineEvents<TEvents, TAgents>,
    MachineActors<TActors, TAgents>,
    TChildren,
    TActions,
    TGuards,
    TDelay,
    TTag,
    z.output<TInput>,
    TOutput,
    TEmitted,
    TMeta
  >,
  'createMachine' | 'extend'
> & {
  createMachine<
    const TConfig extends MachineConfig<
      TContext,
      MachineEvents<TEvents, TAgents>,
      Provided<TChildren, MachineActors<TActors, TAgents>>,
      Named<TActions>,
      Named<TGuards>,
      TDelay,
      TTag,
      z.output<TInput>,
      TOutput,
      TEmitted,
      TMeta
    >,
  >(
    config: TConfig,
    ...misuse: GateMisuse<TConfig, NamesBy<TEvents, 'agent'>, keyof TAgents & string>
  ): StateMachine<
    TContext,
    MachineEvents<TEvents, TAgents>,
    Cast<ToChildren<Provided<TChildren, MachineActors<TActors, TAgents>>>, Record<string, AnyActorRef | undefined>>,
    Provided<TChildren, MachineActors<TActors, TAgents>>,
    Named<TActions>,
    Named<TGuards>,
    TDelay,
    ToStateValue<Cast<TConfig, StateSchema>>,
    TTag,
    z.output<TInput>,
    TOutput,
    TEmitted,
    TMeta,
    StateSchema
  >;
};
