import { createApp, type Logger, Problem } from '@turnwire/server';
import type { Hono } from 'hono';

/** `GET /healthz` on a port of its own, and nothing else there (TW-CUS-021). */
export function createHealth(log: Logger): Hono {
  const app = createApp({ log });
  app.get('/healthz', (c) => c.body(null, 204));
  app.notFound(() => new Problem('no_route', 'only GET /healthz is answered here').toResponse());
  return app;
}
