/** What the benchmark measures, as a process of its own: `harness FOLDER` or `bare FOLDER`. Started by main.ts. */
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLogger, listen, sha256 } from '@turnwire/server';
import { Hono } from 'hono';
import { createHarnessApp, type Engine, Harness, Metrics, type RunTurn } from '../src/index.ts';
import { runTurn } from '../src/turn/run.ts';

const [what, folder = ''] = process.argv.slice(2);
const newId = (prefix: string): string => `${prefix}_${crypto.randomUUID()}`;

/** One line, appended and synced, for each request: the least that an admission has to do. */
function bare(): Hono {
  const app = new Hono();
  const file = join(folder, 'lines');
  app.post('/agents/:name/:iid', async (c) => {
    await appendFile(file, `${JSON.stringify(await c.req.json())}\n`, { flush: true });
    return c.json({ streamUrl: c.req.url, offset: '0', submissionId: newId('sub') }, 202);
  });
  return app;
}

/** A model that answers before it was asked. */
const engine: Engine = {
  step: async () => ({
    parts: [{ type: 'text', text: 'Done.' }],
    toolCalls: [],
    usage: { inputTokens: 1, outputTokens: 1 },
  }),
};

const hold: RunTurn = () => new Promise(() => undefined);

function harness(): Hono {
  const log = createLogger('harness');
  log.level = 'silent';
  const clock = { now: () => Date.now(), sleep: () => Promise.resolve() };
  const made = new Harness({
    dataDir: folder,
    keepMs: 7 * 24 * 3_600_000,
    concurrency: 32,
    // A conversation named so is parked on: its turn does not end.
    runTurn: (input, ports) => (input.iid.startsWith('held') ? hold : runTurn)(input, ports),
    surface: {
      read: async () => ({ status: 'ok', turnId: 't', menu: [], allowed: [], clientDeliveryIds: true }),
      deliver: () => Promise.reject(new Error('nothing is picked here')),
    },
    engine,
    clock,
    newId,
    log,
    settled: () => undefined,
    fail: (error) => {
      throw error;
    },
  });
  made.recover();
  return createHarnessApp({
    harness: () => made,
    ready: Promise.resolve(made),
    store: () => made.folder.store,
    tokenDigest: sha256('bench'),
    agents: new Map(),
    knownModel: () => true,
    metrics: new Metrics(() => made),
    log,
    software: { name: 'bench', version: '0' },
  });
}

const startedAt = performance.now();
const app = what === 'bare' ? bare() : harness();
const { url } = await listen({ app, host: '127.0.0.1', port: 0, role: 'bench', announce: false });
process.on('message', () => {
  globalThis.gc?.();
  process.send?.({ rss: process.memoryUsage().rss });
});
process.on('disconnect', () => process.exit());
process.send?.({ url, ms: performance.now() - startedAt });
