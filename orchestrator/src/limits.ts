/** Every bound of this package, with its reason. Times are milliseconds, sizes are bytes. */

/** 256 bits: the strength of the HMAC that is made with it. */
export const SECRET_BYTES = 32;

/** A shorter key would be weaker than the SHA-256 that it drives (TW-TOK). */
export const SIGNING_KEY_MIN_BYTES = 32;

/** A secret is a line; a file beyond this was named by mistake and is not read into memory. */
export const SECRET_FILE_MAX_BYTES = 65_536;

/** What a 503 of ours asks a client to wait, in seconds: a restart is over in about that time, and the ladder does the rest. */
export const RETRY_AFTER_SECONDS = 1;

/** A start that is quicker than this is announced when it can serve; a slower one, or one that waits for the lock, at once. */
export const ANNOUNCE_AFTER_MS = 2_000;

/** A stopping Orchestrator is gone within 10 s (TW-DRN-007): the host has most of it, connections get the rest. */
export const STOP_HOST_MS = 7_000;
export const STOP_CONNECTIONS_MS = 1_500;

/** Buckets of the request histogram in seconds: commits are milliseconds, parked polls up to 25 s. */
export const REQUEST_SECONDS_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30];
