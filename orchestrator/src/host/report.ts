/** What was learned outside of the run, on its way into the ledger. */
import { EFFECT_PAUSE_MS } from '../limits.ts';
import { HostRefusal } from '../run/refusal.ts';
import type { RunEvent } from '../run/step.ts';
import type { HostClock } from './clock.ts';

export interface ReportPorts {
  submit<Reply>(event: RunEvent): Promise<Reply>;
  clock: HostClock;
}

/**
 * What the Harness's side or an actor said must not be lost because the disk was full: it is kept until it can be written
 * (TW-DUR-027). Gives up with the signal: then nobody asks for it any more.
 * @returns the ledger's reply, unless it was given up
 */
export async function report<Reply = unknown>(
  { submit, clock }: ReportPorts,
  event: RunEvent,
  signal?: AbortSignal,
): Promise<Reply | undefined> {
  while (!signal?.aborted) {
    try {
      return await submit<Reply>(event);
    } catch (error) {
      if (!(error instanceof HostRefusal && error.code === 'store_unavailable')) throw error;
      await clock.sleep(EFFECT_PAUSE_MS, signal);
    }
  }
  return undefined;
}
