/** The form of a statechart in JSON: a workflow as data, for tools and for tests that are written in any language (decision 0110). */
import { z } from 'zod';

/** JSON, with `{"$": "path"}` for a value that is looked up and `{"$add": [a, b]}` for a sum. */
export type Value = null | boolean | number | string | readonly Value[] | { readonly [key: string]: Value };

const value: z.ZodType<Value> = z.json() as z.ZodType<Value>;

export type Condition =
  | boolean
  | { equals: readonly [Value, Value] }
  | { less: readonly [Value, Value] }
  | { not: Condition }
  | { all: readonly Condition[] }
  | { any: readonly Condition[] }
  | { throw: string };

const condition: z.ZodType<Condition> = z.lazy(() =>
  z.union([
    z.boolean(),
    z.strictObject({ equals: z.tuple([value, value]) }),
    z.strictObject({ less: z.tuple([value, value]) }),
    z.strictObject({ not: condition }),
    z.strictObject({ all: z.array(condition) }),
    z.strictObject({ any: z.array(condition) }),
    z.strictObject({ throw: z.string() }),
  ]),
);

const action = z.union([
  z.strictObject({ assign: z.record(z.string(), value) }),
  z.strictObject({ raise: z.string(), delay: z.int().min(0).optional() }),
  z.strictObject({ emit: z.string(), with: z.record(z.string(), value).optional() }),
]);
export type Action = z.output<typeof action>;

const one = z.strictObject({
  target: z.string().optional(),
  guard: condition.optional(),
  actions: z.array(action).optional(),
  reenter: z.boolean().optional(),
});
const transition = z.union([z.string(), one, z.array(one)]);
export type Transition = z.output<typeof transition>;
export type OneTransition = z.output<typeof one>;

const invoke = z.strictObject({
  id: z.string().optional(),
  src: z.string(),
  input: value.optional(),
  onDone: transition.optional(),
  onError: transition.optional(),
});
export type Invoke = z.output<typeof invoke>;

export interface State {
  id?: string | undefined;
  type?: 'atomic' | 'compound' | 'parallel' | 'final' | 'history' | undefined;
  history?: 'shallow' | 'deep' | undefined;
  description?: string | undefined;
  initial?: string | undefined;
  tags?: string[] | undefined;
  entry?: Action[] | undefined;
  exit?: Action[] | undefined;
  invoke?: Invoke | Invoke[] | undefined;
  on?: Record<string, Transition> | undefined;
  after?: Record<string, Transition> | undefined;
  always?: Transition | undefined;
  onDone?: Transition | undefined;
  output?: Value | undefined;
  states?: Record<string, State> | undefined;
}

const state: z.ZodType<State> = z.lazy(() =>
  z.strictObject({
    id: z.string().optional(),
    type: z.enum(['atomic', 'compound', 'parallel', 'final', 'history']).optional(),
    history: z.enum(['shallow', 'deep']).optional(),
    description: z.string().optional(),
    initial: z.string().optional(),
    tags: z.array(z.string()).optional(),
    entry: z.array(action).optional(),
    exit: z.array(action).optional(),
    invoke: z.union([invoke, z.array(invoke)]).optional(),
    on: z.record(z.string(), transition).optional(),
    after: z.record(z.string().regex(/^\d+$/), transition).optional(),
    always: transition.optional(),
    onDone: transition.optional(),
    output: value.optional(),
    states: z.record(z.string(), state).optional(),
  }),
);

const jsonSchema = z.record(z.string(), z.unknown());

const event = z.strictObject({
  description: z.string().optional(),
  by: z.enum(['agent', 'outside']).optional(),
  input: jsonSchema,
  /** What the receipt carries back at Rest; `{"throw": "…"}` fails. */
  answer: value.optional(),
});
export type EventData = z.output<typeof event>;

const agent = z.strictObject({
  model: z.string(),
  instructions: z.string(),
  limits: z
    .strictObject({
      maxToolCalls: z.int().min(1).optional(),
      maxOutputTokens: z.int().min(1).optional(),
      maxTotalTokens: z.int().min(1).optional(),
      deadlineSeconds: z.number().positive().optional(),
    })
    .optional(),
  thinkingLevel: z.string().optional(),
  placement: z.string().optional(),
  rerunnable: z.boolean().optional(),
});

/** Work of its own: it takes its time, and has an output or fails. */
const actor = z.strictObject({
  afterMs: z.int().min(0),
  output: value.optional(),
  error: z.string().optional(),
});
export type ActorData = z.output<typeof actor>;

export const statechart = z.strictObject({
  statechart: z.literal(1),
  description: z.string().optional(),
  input: jsonSchema,
  context: z.record(z.string(), value).optional(),
  events: z.record(z.string(), event),
  agents: z.record(z.string(), agent).optional(),
  actors: z.record(z.string(), actor).optional(),
  machine: state,
});
export type Statechart = z.output<typeof statechart>;
