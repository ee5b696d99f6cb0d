import { createApp, type Logger, Problem, StartError } from '@turnwire/server';
import type { Hono } from 'hono';

/** Where health is answered, as the command line and the environment say. */
export interface HealthFlags {
  readonly port: number;
  readonly healthPort?: number;
  readonly healthHost?: string;
}

/** @throws StartError in one line for a health port that nobody could ask */
export function checkHealth({ port, healthPort, healthHost }: HealthFlags): void {
  if (healthPort === undefined && healthHost !== undefined) {
    throw new StartError('--health-host says where the health port is, and there is none; set --health-port too');
  }
  if (healthPort === 0) throw new StartError('--health-port must be 1 to 65535, so that a probe knows where to ask');
  if (healthPort !== undefined && healthPort === port) {
    throw new StartError(`--health-port must be another than the port itself, ${port}`);
  }
}

/** `GET /healthz` on a port of its own, and nothing else there (TW-CUS-021). */
export function createHealth(log: Logger): Hono {
  const app = createApp({ log });
  app.get('/healthz', (c) => c.body(null, 204));
  app.notFound(() => new Problem('no_route', 'only GET /healthz is answered here').toResponse());
  return app;
}
