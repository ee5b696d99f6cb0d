/**
 * The least OpenTelemetry SDK, as a user registers one (`node --import`): each span that ends is a line of the file SPANS. Plain JavaScript,
 * because it is loaded before anything of ours.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { context, ROOT_CONTEXT, trace } from '@opentelemetry/api';

class RecordedSpan {
  constructor(name, { attributes = {}, startTime }, parent, scope) {
    const above = trace.getSpanContext(parent);
    this.own = {
      traceId: above?.traceId ?? randomBytes(16).toString('hex'),
      spanId: randomBytes(8).toString('hex'),
      traceFlags: 1,
    };
    this.said = { name, scope, parentId: above?.spanId, attributes: { ...attributes }, startTime };
  }
  spanContext = () => this.own;
  isRecording = () => true;
  setAttribute(key, value) {
    this.said.attributes[key] = value;
    return this;
  }
  setStatus(status) {
    this.said.status = status;
    return this;
  }
  end(endTime) {
    const { traceId, spanId } = this.own;
    appendFileSync(process.env.SPANS, `${JSON.stringify({ traceId, spanId, ...this.said, endTime })}\n`);
  }
}

const storage = new AsyncLocalStorage();
context.setGlobalContextManager({
  active: () => storage.getStore() ?? ROOT_CONTEXT,
  with: (active, work, self, ...args) => storage.run(active, () => work.apply(self, args)),
});
trace.setGlobalTracerProvider({
  getTracer: (scope) => ({
    startSpan: (name, options = {}, parent = context.active()) => new RecordedSpan(name, options, parent, scope),
  }),
});
