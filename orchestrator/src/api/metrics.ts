import { Problem } from '@turnwire/server';
import type { Context } from 'hono';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { REQUEST_SECONDS_BUCKETS } from '../limits.ts';
import { tracedRequest } from '../tracing.ts';
import type { Service } from './service.ts';

type Handler = (c: Context) => Response | Promise<Response>;

/** The Orchestrator's own registry: nothing global, so that two in one process do not share a number. */
export interface Metrics {
  /** The handler, with its requests counted, timed and traced under its operation's name. */
  timed(operation: string, handler: Handler): Handler;
  /** The Prometheus text, the host's counters included. */
  text(): Promise<{ body: string; contentType: string }>;
}

export function createMetrics(service: Service): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'turnwire_http_request_seconds',
    help: 'Time to the head of the answer, by operation and status.',
    labelNames: ['operation', 'status'],
    buckets: REQUEST_SECONDS_BUCKETS,
    registers: [registry],
  });
  return {
    timed: (operation, handler) => async (c) => {
      const started = performance.now();
      const observe = (status: number) =>
        requests.observe({ operation, status: String(status) }, (performance.now() - started) / 1_000);
      try {
        const response = await tracedRequest(operation, c, async () => handler(c));
        observe(response.status);
        return response;
      } catch (error) {
        observe(error instanceof Problem ? error.status : 500);
        throw error;
      }
    },
    async text() {
      publishCounters(registry, service.peek()?.counters() ?? {});
      return { body: await registry.metrics(), contentType: registry.contentType };
    },
  };
}

function publishCounters(registry: Registry, counters: Readonly<Record<string, number>>): void {
  const fresh = new Set<string>();
  for (const [series, value] of Object.entries(counters)) {
    const [, key = series, labels = ''] = /^(\w+)(?:\{(.*)\})?$/.exec(series) ?? [];
    const metric = metricOf(registry, key, labels);
    // What the host counts is the whole of it, each time.
    if (!fresh.has(key)) metric.reset();
    fresh.add(key);
    metric.inc(Object.fromEntries(pairs(labels)), value);
  }
}

function metricOf(registry: Registry, key: string, labels: string): Counter | Gauge {
  const name = `turnwire_${key}`;
  const known = registry.getSingleMetric(name) as Counter | Gauge | undefined;
  const help = `${key.replaceAll('_', ' ')}, as the run host counts it.`;
  const labelNames = pairs(labels).map(([label]) => label);
  const options = { name, help, labelNames, registers: [registry] };
  return known ?? (key.endsWith('_total') ? new Counter(options) : new Gauge(options));
}

const pairs = (labels: string): [string, string][] =>
  [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label = '', value = '']) => [label, value]);
