/** OpenTelemetry spans of a turn, its model calls and its picks. Names and codes alone: no prompt, no input (TW-TRN-017). */
import { type Attributes, context, type Span, SpanStatusCode, trace } from '@opentelemetry/api';
import type { TurnEnd, TurnInput } from './port.ts';

export interface TurnSpan {
  model<T>(work: () => Promise<T>): Promise<T>;
  pick<T extends { code: string }>(event: string, work: () => Promise<T>): Promise<T>;
  end(end: TurnEnd): void;
}

export function openTurnSpan(input: TurnInput): TurnSpan {
  const tracer = trace.getTracer('@turnwire/harness');
  const { submissionId, turnId, agentName, iid, definition } = input;
  const attributes: Attributes = {
    'turnwire.submission_id': submissionId,
    'turnwire.agent': agentName,
    'turnwire.iid': iid,
  };
  const turn = tracer.startSpan('turnwire.turn', {
    attributes: { ...attributes, ...(turnId && { 'turnwire.turn_id': turnId }) },
  });
  const within = trace.setSpan(context.active(), turn);
  const child = (name: string, more: Attributes) => tracer.startSpan(name, { attributes: more }, within);
  return {
    model: (work) => spanned(child('turnwire.model', { 'turnwire.model': definition.model }), work, () => undefined),
    pick: (event, work) =>
      spanned(child('turnwire.pick', { 'turnwire.event': event }), work, (span, result) =>
        span.setAttribute('turnwire.outcome', result.code),
      ),
    end: (end) => {
      turn.setAttribute('turnwire.outcome', end.outcome);
      if (end.outcome === 'failed')
        turn.setStatus({ code: SpanStatusCode.ERROR, message: end.error?.code ?? 'failed' });
      turn.end();
    },
  };
}

async function spanned<T>(span: Span, work: () => Promise<T>, note: (span: Span, result: T) => void): Promise<T> {
  try {
    const result = await context.with(trace.setSpan(context.active(), span), work);
    note(span, result);
    return result;
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}
