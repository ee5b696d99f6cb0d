import { SpanKind, trace } from '@opentelemetry/api';
import { spanned, traceContext, traceparentOf } from '@turnwire/server';
import type { Forwarded } from './forward.ts';
import type { Routed } from './route.ts';

type Route = Extract<Routed, { kind: 'forward' }>;

const TRACEPARENT = 'traceparent';
const tracer = trace.getTracer('@turnwire/custodian');

/** A forward as a span of the caller's trace: what goes upstream names it. Where nothing is recorded the headers go on as they came. */
export function traced({ route, headers }: Route, work: (headers: Route['headers']) => Promise<Forwarded>) {
  const at = headers.findIndex((name, index) => index % 2 === 0 && name === TRACEPARENT);
  const incoming = at < 0 ? undefined : headers[at + 1];
  const options = {
    kind: SpanKind.CLIENT,
    parent: traceContext(incoming),
    attributes: { 'turnwire.route': route },
  };
  return spanned(tracer, 'turnwire.forward', options, async (span) => {
    const mine = traceparentOf(span, incoming);
    const outcome = await work(mine === incoming ? headers : named(headers, mine as string));
    span.setAttribute('turnwire.attempts', outcome.attempts);
    if (outcome.kind === 'unreachable') span.setAttribute('turnwire.flags', [...outcome.flags]);
    else span.setAttribute('http.response.status_code', outcome.status);
    return outcome;
  });
}

/** The headers with this `traceparent` in place of theirs. */
const named = (headers: Route['headers'], traceparent: string) => [
  ...headers.filter((_, index) => headers[index - (index % 2)] !== TRACEPARENT),
  TRACEPARENT,
  traceparent,
];
