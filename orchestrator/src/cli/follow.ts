/** Follows the feed of one run to its end, across restarts of the orchestrator. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Connection, type FeedEvent, getRun, type RunView, runEvents, TurnwireFault } from '@turnwire/sdk';
import { COMMAND_WINDOW_MS, RECONNECT_MS, RECONNECT_PAUSE_MS } from '../limits.ts';

export interface FollowOptions {
  readonly signal: AbortSignal;
  readonly onFrame: (frame: FeedEvent) => void;
  /** The orchestrator went away; said once each time. */
  readonly onLost: (reason: string) => void;
  /** It answers again: the next frame is the whole state. */
  readonly onBack: () => void;
  readonly reconnectMs?: number;
  readonly pauseMs?: number;
}

export const hasEnded = ({ status }: Pick<RunView, 'status'>): boolean =>
  ['done', 'error', 'cancelled'].includes(status);

/** What a follower waits for no longer: a drifted run does not move until somebody acts. */
export const standsStill = (run: Pick<RunView, 'status'>): boolean => hasEnded(run) || run.status === 'drifted';

/**
 * Resolves with the run when it has ended, or has `drifted`.
 * @throws TurnwireFault when it is refused, or the orchestrator stays away for `reconnectMs`
 */
export async function follow(connection: Connection, runId: string, options: FollowOptions): Promise<RunView> {
  const { signal, onFrame, onLost, onBack, reconnectMs = RECONNECT_MS, pauseMs = RECONNECT_PAUSE_MS } = options;
  let awaySince: number | undefined;
  for (;;) {
    try {
      for await (const frame of runEvents(connection, { runId }, { signal, windowMs: COMMAND_WINDOW_MS })) {
        if (awaySince !== undefined) onBack();
        awaySince = undefined;
        onFrame(frame);
      }
      const run = await getRun(connection, { runId }, { signal, windowMs: COMMAND_WINDOW_MS });
      if (standsStill(run)) return run;
    } catch (error) {
      if (!isAway(error)) throw error;
      if (awaySince === undefined) onLost(error.message);
      awaySince ??= Date.now();
      if (Date.now() - awaySince >= reconnectMs) throw error;
    }
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    signal.throwIfAborted();
  }
}

/** No answer of ours, or one that says that it will be back. */
const isAway = (error: unknown): error is TurnwireFault =>
  error instanceof TurnwireFault && error.code !== 'aborted' && (error.status === undefined || error.status >= 500);
