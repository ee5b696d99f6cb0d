/** Every bound of the Custodian that the spec does not pin already. */

/** Pauses before a re-send of a request of which nothing was written, in milliseconds; together below the retry window. */
export const RETRY_PAUSES_MS = [50, 150] as const;

/** What is left of answers on their way when the process is asked to stop, in milliseconds. */
export const STOP_GRACE_MS = 2_000;

/** A path longer than this is none of ours: an iid and a deliveryId have at most 128 characters, encoded three times as many. */
export const MAX_TARGET_LENGTH = 2_048;
