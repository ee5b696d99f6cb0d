/** Every bound of the Custodian that the spec does not pin already. */

/** Pauses before a re-send of a request of which nothing was written, in milliseconds; together below the retry window. */
export const RETRY_PAUSES_MS = [50, 150] as const;

/** What is left of answers on their way when the process is asked to stop, in milliseconds. */
export const STOP_GRACE_MS = 2_000;

/** A path longer than this is none of ours: an iid and a deliveryId have at most 128 characters, encoded three times as many. */
export const MAX_TARGET_LENGTH = 2_048;

/** The largest head of a request that Node's parser takes, in KiB; so that Envoy takes no other. */
export const HEAD_LIMIT_KIB = 16;

/** After an early answer Envoy reads and throws away what still comes for this long, in milliseconds, as our servers do. */
export const LINGER_MS = 2_000;

/** Envoy's pauses before its re-sends are random below these, in milliseconds; two of them stay below the retry window. */
export const ENVOY_BACK_OFF = { baseMs: 100, maxMs: 300 } as const;

/** How long Envoy goes by what the Orchestrator's name resolved to, in milliseconds; the Node engine asks at each connect. */
export const DNS_REFRESH_MS = 1_000;

/** Envoy's own limits (1,024 requests, 3 retries at a time) would refuse what the Orchestrator has to decide: a thousand parked polls. */
export const NO_LIMIT = {
  max_connections: 1_000_000,
  max_pending_requests: 1_000_000,
  max_requests: 1_000_000,
  max_retries: 1_000_000,
} as const;

/**
 * What Envoy is told on its command line, for a bootstrap cannot say it: a sidecar needs one worker, nobody takes its place
 * while it runs, and its log lines are written as often as those of the Node engine, and not every 10 s.
 */
export const ENVOY_FLAGS = '--disable-hot-restart --concurrency 1 --file-flush-interval-msec 50';

/** Where a pod mounts the secret, unless it is said otherwise. */
export const DEFAULT_TOKEN_FILE = '/run/secrets/turnwire/placement-token';

/** Where Debian, Ubuntu, Alpine and Envoy's own images keep the authorities that the machine trusts. */
export const DEFAULT_CA_FILE = '/etc/ssl/certs/ca-certificates.crt';

/** How long a whole request may take to come, in milliseconds: as long as Node's own server gives it, and longer than any caller waits. */
export const REQUEST_TIMEOUT_MS = 300_000;
