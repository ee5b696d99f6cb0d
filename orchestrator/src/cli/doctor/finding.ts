import type { Certainty } from '@turnwire/sdk';

export interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
  /** What to do about it. */
  readonly remedy?: string;
  /** What is proved about the probe, for a hop that did not answer. */
  readonly certainty?: Certainty;
}
