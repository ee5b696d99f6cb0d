import { trace } from '@opentelemetry/api';
import { describe, expect, it } from 'vitest';
import { spanned, traceContext, traceparentOf } from './tracing.ts';

const TRACE = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const tracer = trace.getTracer('test');

describe('without an SDK', () => {
  it('a trace is passed on as it came', async () => {
    const sent = await spanned(tracer, 'work', { parent: traceContext(TRACE) }, async (span) => {
      expect(span.isRecording()).toBe(false);
      return traceparentOf(span, TRACE);
    });
    expect(sent).toBe(TRACE);
  });

  it('none is made up', async () => {
    await spanned(tracer, 'work', { parent: traceContext(undefined) }, async (span) =>
      expect(traceparentOf(span)).toBeUndefined(),
    );
  });

  it.each([
    '',
    'x',
    TRACE.toUpperCase(),
    `01${TRACE.slice(2)}`,
    `${TRACE}-more`,
    `00-${'0'.repeat(32)}-${'1'.repeat(16)}-01`,
    `00-${'1'.repeat(32)}-${'0'.repeat(16)}-01`,
  ])('a malformed one is none: %s', (traceparent) => {
    expect(trace.getSpanContext(traceContext(traceparent))).toBeUndefined();
  });

  it('what the work says is what the caller gets', async () => {
    await expect(spanned(tracer, 'work', {}, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  });
});
