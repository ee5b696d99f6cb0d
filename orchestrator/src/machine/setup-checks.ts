/** The one check of a Machine's config that XState's types cannot make: a gate takes no agent's event (TW-AUT-002). */

type Sources<TConfig> = TConfig extends { invoke: infer TInvoke }
  ? TInvoke extends readonly (infer TEntry)[]
    ? TEntry extends { src: infer TSource }
      ? TSource
      : never
    : TInvoke extends { src: infer TSource }
      ? TSource
      : never
  : never;

/** The agent events that a state takes which waits at a gate and runs no Agent itself. */
type TakenAtGate<TConfig, TAgentEvent extends string, TSlot extends string> =
  'gate' extends Sources<TConfig>
    ? [Sources<TConfig> & TSlot] extends [never]
      ? TConfig extends { on: infer TOn }
        ? keyof TOn & TAgentEvent
        : never
      : never
    : never;

type Misused<TConfig, TAgentEvent extends string, TSlot extends string> =
  | TakenAtGate<TConfig, TAgentEvent, TSlot>
  | (TConfig extends { states: infer TStates }
      ? { [K in keyof TStates]: Misused<TStates[K], TAgentEvent, TSlot> }[keyof TStates]
      : never);

/**
 * Extra arguments that `createMachine` wants: none, or, when a gate's state names an `agent` event, one that cannot be given.
 * A parameter of its own, because anything added to the config's type costs the author the inference inside it.
 */
export type GateMisuse<TConfig, TAgentEvent extends string, TSlot extends string> = [
  Misused<TConfig, TAgentEvent, TSlot>,
] extends [never]
  ? []
  : [aGateTakesOnlyOutsideEvents: { readonly agentEvent: Misused<TConfig, TAgentEvent, TSlot>; readonly never: never }];
