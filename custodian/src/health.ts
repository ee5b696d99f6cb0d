import { createApp, type Logger } from '@turnwire/server';
import type { Hono } from 'hono';

/** `GET /healthz` on a port of its own, and nothing else there. */
export function createHealth(log: Logger): Hono {
  const app = createApp({ log });
  app.get('/healthz', (c) => c.body(null, 204));
  return app;
}
