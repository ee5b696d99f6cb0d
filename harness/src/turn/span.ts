/** OpenTelemetry spans of a turn, its model calls and its picks. Names and codes alone: no prompt, no input (TW-TRN-017). */
import { type Attributes, type Span, SpanStatusCode, trace } from '@opentelemetry/api';
import { spanned, traceContext, traceparentOf } from '@turnwire/server';
import type { TurnEnd, TurnInput } from './port.ts';

export interface TurnSpan {
  /** For what the turn itself asks: its admission's, where nothing is recorded. */
  readonly traceparent: string | undefined;
  model<T>(work: () => Promise<T>): Promise<T>;
  pick<T extends { code: string }>(event: string, work: (traceparent: string | undefined) => Promise<T>): Promise<T>;
  end(end: TurnEnd): void;
}

export function openTurnSpan(input: TurnInput): TurnSpan {
  const tracer = trace.getTracer('@turnwire/harness');
  const parent = traceContext(input.traceparent);
  const turn = tracer.startSpan('turnwire.turn', { attributes: attributesOf(input) }, parent);
  const within = trace.setSpan(parent, turn);
  return {
    traceparent: traceparentOf(turn, input.traceparent),
    model: (work) => {
      const attributes = { 'turnwire.model': input.definition.model };
      return spanned(tracer, 'turnwire.model', { parent: within, attributes }, work);
    },
    pick: (event, work) =>
      spanned(tracer, 'turnwire.pick', { parent: within, attributes: { 'turnwire.event': event } }, async (span) => {
        const result = await work(traceparentOf(span, input.traceparent));
        span.setAttribute('turnwire.outcome', result.code);
        return result;
      }),
    end: (end) => endSpan(turn, end),
  };
}

function attributesOf({ submissionId, turnId, agentName, iid }: TurnInput): Attributes {
  return {
    'turnwire.submission_id': submissionId,
    'turnwire.agent': agentName,
    'turnwire.iid': iid,
    ...(turnId && { 'turnwire.turn_id': turnId }),
  };
}

function endSpan(turn: Span, end: TurnEnd): void {
  turn.setAttribute('turnwire.outcome', end.outcome);
  if (end.outcome === 'failed') turn.setStatus({ code: SpanStatusCode.ERROR, message: end.error?.code ?? 'failed' });
  turn.end();
}
