/** What is served to everybody, without a token and in every phase (TW-TOK-014). */
import { protocol } from '@turnwire/sdk';
import { Problem } from '@turnwire/server';
import type { Context } from 'hono';
import type { Deps } from './deps.ts';
import { retryAfter, stopping } from './service.ts';

/** TW-GEN-023: the process serves, also while it waits for its database or stops. */
export const getHealth = (c: Context) => c.body(null, 204);

export const getReadiness =
  ({ service }: Deps) =>
  (c: Context) => {
    switch (service.phase) {
      case 'starting': // TW-GEN-024, TW-DUR-008
        throw new Problem('starting', 'the orchestrator has not loaded its runs yet', {
          status: 503,
          headers: retryAfter(),
        });
      case 'stopping': // TW-DRN-010
        throw stopping();
      case 'serving':
        return c.body(null, 204);
    }
  };

export const getMetrics =
  ({ metrics }: Deps) =>
  async (c: Context) => {
    const { body, contentType } = await metrics.text();
    return c.body(body, 200, { 'content-type': contentType });
  };

/** TW-GEN-016. */
export const getOrchestratorInfo =
  ({ software }: Deps) =>
  (c: Context) =>
    c.json({ role: 'orchestrator', version: protocol.version, software, capabilities: { clientDeliveryIds: true } });
