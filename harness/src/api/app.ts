/** The routes of the Harness, and nothing else. */
import { protocol } from '@turnwire/sdk';
import { createApp, type Logger, Problem } from '@turnwire/server';
import type { Context, Hono } from 'hono';
import { drainingProblem, type Harness } from '../host/harness.ts';
import { openConversation, openStream } from '../host/stream.ts';
import type { Metrics } from '../metrics.ts';
import { abortConversation, admit } from './admission.ts';
import type { Agents } from './agents.ts';
import { authorise } from './auth.ts';
import { historyOf } from './history.ts';
import { serverSentEvents } from './sse.ts';
import { catchUp, head, longPoll } from './stream.ts';
import { readStreamRequest } from './stream-request.ts';

export interface AppOptions {
  /** Undefined until the data folder is held and its logs were read. */
  readonly harness: () => Harness | undefined;
  /** Resolves when it is there. */
  readonly ready: Promise<Harness>;
  /** The store id, as soon as it is known. */
  readonly store: () => string | undefined;
  /** Base64url of the SHA-256 of the harness token. */
  readonly tokenDigest: string;
  readonly publicUrl?: string;
  readonly agents: Agents;
  readonly knownModel: (model: string) => boolean;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly software: { readonly name: string; readonly version: string };
}

export const CAPABILITIES = { idempotentAdmissions: true, fencedAbort: true, submissionStreams: true };

const CONVERSATION = '/agents/:name/:iid';

export function createHarnessApp(options: AppOptions): Hono {
  const store = (): Record<string, string> => {
    const id = options.store();
    return id === undefined ? {} : { [protocol.headers.store]: id };
  };
  const authorised = authorise(options.tokenDigest);
  const app = createApp({ log: options.log, headers: store, authorise: authorised });
  app.use((c, next) => {
    authorised(c);
    return next();
  });
  app.get('/healthz', (c) => c.body(null, 204));
  app.get('/readyz', (c) => {
    const harness = options.harness();
    if (!harness) throw new Problem('starting', 'this Harness waits for its data folder');
    if (harness.draining.signal.aborted) throw drainingProblem();
    return c.body(null, 204);
  });
  app.get('/metrics', async () => {
    const { registry } = options.metrics;
    return new Response(await registry.metrics(), { headers: { 'content-type': registry.contentType } });
  });
  app.get('/.well-known/turnwire', async (c) => c.json(info(await options.ready, options)));
  app.post(CONVERSATION, (c) => (c.req.query('view') === undefined ? admitWhenReady(c, options) : readOnly()));
  // What only waits for the folder waits with it: a second copy is harmless, and the caller has a timer of its own.
  app.get(CONVERSATION, async (c) => readConversation(c, await options.ready));
  app.all(CONVERSATION, readOnly);
  app.post(`${CONVERSATION}/abort`, async (c) => abortConversation(c, await options.ready));
  return app;
}

/** A Harness that listens before it can work says that nothing was taken (TW-GEN-036). */
function admitWhenReady(c: Context, options: AppOptions): Promise<Response> {
  const harness = options.harness();
  if (!harness) throw drainingProblem();
  return admit(c, harness, options);
}

function info({ folder }: Harness, { software }: AppOptions) {
  return { role: 'harness', version: protocol.version, software, store: folder.store, capabilities: CAPABILITIES };
}

async function readConversation(c: Context, harness: Harness): Promise<Response> {
  const { name = '', iid = '' } = c.req.param();
  checkId('name', name);
  checkId('iid', iid);
  const request = readStreamRequest(c.req.queries());
  if (request.view === 'history') return c.json(historyOf(openConversation(harness.conversations, name, iid)));
  const stream = openStream(harness.conversations, name, iid, request.submission);
  if (c.req.method === 'HEAD') return head(stream);
  if (request.live === undefined) return catchUp(stream, request, c.req.header('if-none-match'));
  const signals = [c.req.raw.signal, harness.closing.signal];
  const live = { now: () => harness.options.clock.now(), random: Math.random, signals };
  return request.live === 'sse' ? serverSentEvents(stream, request, live) : await longPoll(stream, request, live);
}

/** TW-GEN-026. */
function checkId(what: string, text: string): void {
  if (!/^[A-Za-z0-9._~-]{1,128}$/.test(text)) {
    throw new Problem('bad_request', `${what} must be 1 to 128 of the characters A-Z a-z 0-9 . _ ~ -`);
  }
}

/** TW-STR-025. */
function readOnly(): never {
  throw new Problem('method_not_allowed', 'a stream is read with GET and HEAD; a prompt is admitted with POST', {
    headers: { allow: 'GET, HEAD, POST' },
  });
}
