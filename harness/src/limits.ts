/** Every bound of the Harness, with its reason. Times are milliseconds unless the name says otherwise. */
import { protocol } from '@turnwire/sdk';
import { EARLY_ANSWER_MS } from '@turnwire/server';

/** Submissions that wait behind the running one: more is a caller that has lost count, and memory is not free. */
export const MAX_WAITING = 64;

/** How long an abort by a `turnId` that was not admitted yet is remembered: longer than any admission's window. */
export const FENCE_KEEP_MS = 10 * 60_000;

/** Remembered turns of one conversation; the oldest goes first. More than a conversation can have in flight. */
export const MAX_FENCES = MAX_WAITING;

/** A long-poll is parked at most this long: HTTP clients and proxies cut silence later than that. */
export const POLL_PARK_MS = protocol.constants.pollWaitSeconds * 1_000;

/** An SSE answer is ended after this long, so that proxies and clients reconnect at a moment of our choosing. */
export const SSE_RECYCLE_MS = 60_000;

/** A comment is sent on an otherwise silent SSE answer this often: proxies cut at 60 s of silence. */
export const SSE_HEARTBEAT_MS = 15_000;

/** Bytes of log that one answer reads: a reader that asks from the start never holds a whole log in memory. */
export const PAGE_BYTES = 1024 * 1024;

/** Cursor intervals of the Durable Streams protocol: 20 s since 2024-10-09T00:00Z, jitter of up to an hour. */
export const CURSOR_INTERVAL_MS = 20_000;
export const CURSOR_EPOCH_MS = Date.UTC(2024, 9, 9);
export const CURSOR_JITTER = 180;

/** Logs whose file is kept open between two writes, and logs in one group commit: file descriptors are few. */
export const MAX_OPEN_LOGS = 128;

/** How long a successor waits for the process before it: a drain's linger and a little more. */
export const LOCK_WAIT_MS = 30_000;

/** Seconds that a draining or full Harness asks its callers to stay away. */
export const RETRY_AFTER_S = 1;

/** What is left for open connections once the parked reads were ended: an early answer under way fits. */
export const CLOSE_GRACE_MS = EARLY_ANSWER_MS + 500;

/**
 * A turn that ignores its abort is settled without it after this long; its later words are not heard. One that obeys
 * needs 1 s for the engine and 2 s for a lookup.
 */
export const FORCED_END_MS = 5_000;

/** An abort's answer waits this long for the turn to be over, so that it names what it ended; callers wait 10 s. */
export const ABORT_ANSWER_MS = FORCED_END_MS + 3_000;

/** A conversation without work leaves the memory after this long; its log stays. */
export const UNLOAD_MS = 60_000;

/** How often idle, expired and freed conversations are looked for. */
export const SWEEP_MS = 30_000;

/** A freed conversation is answered 410 for this long after it was freed, then it is as if it had never been. */
export const TOMBSTONE_KEEP_MS = 30 * 24 * 3_600_000;

/** Agents that a file may configure, and the size of that file: it is read whole. */
export const MAX_AGENTS_FILE_BYTES = 1024 * 1024;

/** A registration that is refused is tried again this often: somebody may have put right what was wrong with it. */
export const REFUSED_AGAIN_MS = 30_000;

/** With more logs than this a start registers before it reads them, and waits this long for that: it takes a while. */
export const MANY_LOGS = 200;
export const REGISTER_FIRST_MS = 250;

/** The end waits this long until the Orchestrator has heard that it drains. */
export const LAST_WORD_MS = 1_000;

/** How often the agents file is looked at by `dev`; two looks that agree make a save. A person does not notice it. */
export const WATCH_MS = 60;

/** Two signals within this time are one that came twice: npm passes Ctrl-C on once more. */
export const SAME_SIGNAL_MS = 500;

/**
 * Pauses of `dev` before it restarts a process that died by itself: the first is over before a caller notices, a crash at
 * every start costs little. One that served for as long as the longest begins anew.
 */
export const CRASH_PAUSES_MS = [250, 1_000, 3_000, 10_000] as const;

/** A child whose `dev` was killed is gone after this long, whatever it is at. */
export const LEASH_MS = FORCED_END_MS;
