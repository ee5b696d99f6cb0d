/** What Envoy knows of a request, as it tells it to the scripts in headers that they take away again. */

export const FLAGS_HEADER = 'x-turnwire-envoy-flags';
export const WRITTEN_HEADER = 'x-turnwire-envoy-written';
/** Envoy's own name for which attempt this is. */
export const ATTEMPT_HEADER = 'x-envoy-attempt-count';

/** The bytes that all attempts so far have written to the Orchestrator. */
export const WRITTEN = '%UPSTREAM_WIRE_BYTES_SENT%';

/** Its response flags, and those bytes. */
export const FLAGS = `%RESPONSE_FLAGS% ${WRITTEN}`;
