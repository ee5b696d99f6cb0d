/** What the kit's Harness does with what a case's agents are asked for. */
import { type Check, flag, list, oneOf, shape, text, whole } from '../shape.ts';

/**
 * What becomes of an admission. `take`: 202. `lose`: it is taken, and the connection is reset before the answer. `reset`: not taken.
 * `draining`, `queue_full`: our refusals. `other_store`: 412 of another data folder. `other_origin`: 202 with a stream elsewhere.
 * `foreign`: an ingress answers 503 in its place. `invalid`: 422. `broken`: a 202 whose body is no JSON.
 */
const fates = [
  'take',
  'lose',
  'reset',
  'draining',
  'queue_full',
  'other_store',
  'other_origin',
  'foreign',
  'invalid',
  'broken',
  'unauthorized',
] as const;
export type Fate = (typeof fates)[number];

export interface HarnessPlan {
  /** Of each admission that arrives, in order; those after the last are taken. */
  readonly fates?: readonly Fate[];
  /** Aborts that are taken and not acknowledged. */
  readonly loseAborts?: number;
  /** It settles nothing that it aborts. */
  readonly deaf?: boolean;
  /** What a stream answers instead of its records. */
  readonly stream?: 'unknown_conversation' | 'stream_gone' | 'forbidden' | 'reset' | 'foreign';
  /** How often it answers so; always when absent. */
  readonly streamTimes?: number;
  /** Records before the Settlement that mean nothing to a workflow. */
  readonly chatter?: boolean;
  /** Another data folder, from here on. */
  readonly store?: string;
  readonly fencedAbort?: boolean;
  /** A Harness that announces nothing: no capability is known of it. */
  readonly mute?: boolean;
}

export const harnessPlan: Check = shape({
  fates: list(oneOf(...fates)),
  loseAborts: whole(0),
  deaf: flag,
  stream: oneOf('unknown_conversation', 'stream_gone', 'forbidden', 'reset', 'foreign'),
  streamTimes: whole(1),
  chatter: flag,
  store: text,
  fencedAbort: flag,
  mute: flag,
});
