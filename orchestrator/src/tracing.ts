/**
 * The Orchestrator's spans: each request, each committed step, what is asked of a Harness, each receipt. A run keeps the trace that its
 * start belongs to, so that what it does days later is part of it.
 */
import { context, ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api';
import { spanned, traceContext, traceparentOf } from '@turnwire/server';
import type { Context } from 'hono';
import type { DeliveryRow } from './run/rows.ts';

const tracer = trace.getTracer('@turnwire/orchestrator');

const TRACE_KEY = 'traceparent';

/** A request, under its operation's name. */
export const tracedRequest = (operation: string, c: Context, work: () => Promise<Response>): Promise<Response> => {
  const incoming = c.req.header('traceparent');
  const options = { kind: SpanKind.SERVER, parent: traceContext(incoming) };
  return spanned(tracer, `turnwire.${operation}`, options, async (span) => {
    c.set(TRACE_KEY, traceparentOf(span, incoming));
    const response = await work();
    span.setAttribute('http.response.status_code', response.status);
    return response;
  });
};

/** The trace that a request belongs to from here on. */
export const traceOf = (c: Context): string | undefined => c.get(TRACE_KEY);

export interface StepSpan {
  runId: string;
  workflow: string;
  event: string;
  /** Of the run. */
  trace: string | undefined;
}

/** A step and its commit: part of the request that asks for it, else of its run. */
export function tracedStep<T>({ runId, workflow, event, trace: ofRun }: StepSpan, work: () => Promise<T>): Promise<T> {
  const active = context.active();
  const parent = trace.getSpan(active) ? active : traceContext(ofRun);
  const attributes = { 'turnwire.run_id': runId, 'turnwire.workflow': workflow, 'turnwire.step': event };
  return spanned(tracer, 'turnwire.run.step', { parent, attributes }, work);
}

/** What is asked of a Harness for a turn: `work` sends the trace on that it is given. */
export function tracedCall<T>(
  name: 'admission' | 'abort',
  { turnId, iid, trace: ofRun }: { turnId: string; iid: string; trace: string | undefined },
  work: (traceparent: string | undefined) => Promise<T>,
): Promise<T> {
  const attributes = { 'turnwire.turn_id': turnId, 'turnwire.iid': iid };
  const options = { kind: SpanKind.CLIENT, parent: traceContext(ofRun), attributes };
  return spanned(tracer, `turnwire.${name}`, options, (span) => work(traceparentOf(span, ofRun)));
}

/** From the delivery of a pick to its receipt, seconds or days. */
export function traceReceipt(row: DeliveryRow, ofRun: string | undefined): void {
  const { runId, turnId, iid, deliveryId, event, receipt, at, answeredAt } = row;
  const attributes = {
    'turnwire.run_id': runId,
    'turnwire.turn_id': turnId,
    'turnwire.iid': iid,
    'turnwire.delivery_id': deliveryId,
    'turnwire.event': event,
    'turnwire.moved': receipt?.moved ?? false,
    'turnwire.turn_complete': receipt?.turnComplete ?? false,
  };
  tracer.startSpan('turnwire.receipt', { startTime: at, attributes }, traceContext(ofRun)).end(answeredAt);
}

/** Work of its own: not part of the request that happened to set it going. */
export const untraced = <T>(work: () => T): T => context.with(ROOT_CONTEXT, work);
