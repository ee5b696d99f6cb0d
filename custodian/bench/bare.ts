/** What a pass-through costs without us: Hono in front, undici behind, bodies streamed, nothing looked at. `bare.ts UPSTREAM` */
import { pipeline } from 'node:stream';
import { type HttpBindings, serve } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono } from 'hono';
import { Agent, type Dispatcher, request } from 'undici';

const [upstream = ''] = process.argv.slice(2);
const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
const app = new Hono<{ Bindings: HttpBindings }>();

app.all('*', async (c) => {
  const { incoming, outgoing } = c.env;
  const { host: _host, connection: _connection, ...headers } = incoming.headers;
  const {
    statusCode,
    headers: answered,
    body,
  } = await request(upstream + incoming.url, {
    dispatcher,
    method: incoming.method as Dispatcher.HttpMethod,
    headers,
    body: incoming.method === 'GET' ? null : incoming,
  });
  outgoing.writeHead(statusCode, answered);
  pipeline(body, outgoing, () => {});
  return RESPONSE_ALREADY_SENT;
});

serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => {
  process.stdout.write(`${JSON.stringify({ event: 'listening', url: `http://127.0.0.1:${port}` })}\n`);
});
