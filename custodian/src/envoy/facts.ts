/** What Envoy knows of a request, as it tells it to the scripts in headers that they take away again. */

export const FLAGS_HEADER = 'x-turnwire-envoy-flags';
export const ATTEMPT_HEADER = 'x-turnwire-envoy-attempt';

/** The bytes that all attempts so far have written to the Orchestrator. */
const WRITTEN = '%UPSTREAM_WIRE_BYTES_SENT%';

/** Which attempt this is, and those bytes. */
export const ATTEMPT = `%UPSTREAM_REQUEST_ATTEMPT_COUNT% ${WRITTEN}`;

/** Its response flags, and those bytes. */
export const FLAGS = `%RESPONSE_FLAGS% ${WRITTEN}`;
