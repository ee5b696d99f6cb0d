/** Follows the feed of one run to its end, across restarts of the orchestrator. */
import { type Connection, type FeedEvent, getRun, type JsonValue, type RunView, runEvents } from '@turnwire/sdk';
import { COMMAND_WINDOW_MS, RECONNECT_MS } from '../limits.ts';

export interface FollowOptions {
  readonly signal: AbortSignal;
  readonly onFrame: (frame: FeedEvent) => void;
  /** The orchestrator went away; said once each time. */
  readonly onLost: (reason: string) => void;
  /** It answers again: the next frame is the whole state. */
  readonly onBack: () => void;
  /** How long it may stay away, in milliseconds. */
  readonly reconnectMs?: number;
}

/**
 * Resolves with the run when it has ended, or stands `drifted`: that does not move until somebody acts.
 * @throws TurnwireFault when it is refused, or the orchestrator stays away for `reconnectMs`
 */
export async function follow(connection: Connection, runId: string, options: FollowOptions): Promise<RunView> {
  const { signal, onFrame, onLost, onBack, reconnectMs = RECONNECT_MS } = options;
  let away = false;
  const onRetry = ({ last }: { last: string }) => {
    if (!away) onLost(last);
    away = true;
  };
  for await (const frame of runEvents(connection, { runId }, { signal, windowMs: reconnectMs, onRetry })) {
    if (away) onBack();
    away = false;
    onFrame(frame);
    if (isDrifted(frame)) break;
  }
  return getRun(connection, { runId }, { signal, windowMs: COMMAND_WINDOW_MS });
}

function isDrifted({ event, data }: FeedEvent): boolean {
  if (event === 'run.status') return data.status === 'drifted';
  return event === 'snapshot' && Array.isArray(data.runs) && data.runs.some((run) => statusOf(run) === 'drifted');
}

const statusOf = (run: JsonValue): JsonValue | undefined =>
  run !== null && typeof run === 'object' && !Array.isArray(run) ? run.status : undefined;
