/**
 * OpenTelemetry spans across the roles (TW-GEN-015). A user registers an SDK before a process starts (`node --import`), and what belongs
 * together is one trace; without one, spans record nothing and the caller's `traceparent` is passed on as it came.
 */
import {
  type Attributes,
  type Context,
  context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  type SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';

/** W3C trace context, version 00. */
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** The context that a `traceparent` names; one that is malformed names none, as that document asks. */
export function traceContext(traceparent: string | undefined): Context {
  const [, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(traceparent ?? '') ?? [];
  const parent = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return isSpanContextValid(parent) ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
}

/** What to send on with the work of this span; `incoming` where nothing is recorded. */
export function traceparentOf(span: Span, incoming?: string): string | undefined {
  const { traceId, spanId, traceFlags } = span.spanContext();
  if (!isSpanContextValid(span.spanContext())) return incoming;
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

export interface SpanOptions {
  readonly kind?: SpanKind;
  /** Names, ids and codes alone: no input, no prompt, no credential. */
  readonly attributes?: Attributes;
  /** The active context when absent. */
  readonly parent?: Context;
}

/** Does the work within a span of this name, which is the active one meanwhile. */
export async function spanned<T>(
  tracer: Tracer,
  name: string,
  { parent = context.active(), ...options }: SpanOptions,
  work: (span: Span) => Promise<T>,
): Promise<T> {
  const span = tracer.startSpan(name, options, parent);
  try {
    return await context.with(trace.setSpan(parent, span), () => work(span));
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}
