/** W3C trace context, version 00; anything else is dropped, as that document asks. */
const TRACEPARENT = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** TW-GEN-015: the trace that a run is part of, if its request named one. */
export const traceOf = (trace: string | undefined): { trace?: string } =>
  trace !== undefined && TRACEPARENT.test(trace) ? { trace } : {};
