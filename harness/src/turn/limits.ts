/** Every bound of the turn loop and of the engines, with its reason. */

/** A turn that called this often decides nothing any more (TW-TRN-011). */
export const MAX_TOOL_CALLS = 256;

/** The call that would be this many-th identical one in a row is never executed (TW-TRN-011). */
export const MAX_IDENTICAL_CALLS = 4;

/** Observers get at most four deltas a second, with a margin for the clock that stamps them (TW-STR-032). */
export const DELTA_INTERVAL_MS = 260;

/** A provider is tried this often within one step; what fails six times is down, not busy. */
export const MODEL_ATTEMPTS = 6;

/** And for this long: a rate limit's window is a minute, so two of them fit. */
export const MODEL_WINDOW_MS = 120_000;

/** A provider's error text may quote the whole prompt; what is kept of it is a sentence. */
export const MAX_PROVIDER_MESSAGE = 500;

/** A connection to a provider that says nothing for half an hour is dead; models think for minutes, and deadlines are shorter. */
export const MODEL_SILENCE_MS = 30 * 60_000;

/** A provider that cannot be dialled within this is tried again. */
export const MODEL_CONNECT_MS = 10_000;
