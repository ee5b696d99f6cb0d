import type { Certainty } from '@turnwire/sdk';

export interface Finding {
  readonly check: string;
  readonly ok: boolean;
  /** It works, and there is something to do about it all the same. */
  readonly warning?: boolean;
  /** It was left out; the detail says why. */
  readonly skipped?: boolean;
  /** Nothing of ours answers there. */
  readonly absent?: boolean;
  readonly detail: string;
  /** What to do about it. */
  readonly remedy?: string;
  /** What is proved about the probe, for a hop that did not answer. */
  readonly certainty?: Certainty;
}
