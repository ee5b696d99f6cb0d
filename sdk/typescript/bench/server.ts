/** The peer of the benchmark, as a process of its own: always the same bytes. Started by main.ts. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { protocol } from '../src/index.ts';

const menu = Array.from({ length: 12 }, (_, at) => ({
  name: `pick_${at}`,
  description: 'What the agent can decide here, in a sentence or two, as a workflow author writes it.',
  input: { type: 'object', properties: { note: { type: 'string' } }, required: ['note'], additionalProperties: false },
}));
const allowed = menu.map(({ name }) => name);
const capabilities = { clientDeliveryIds: true };
const surface = JSON.stringify({ iid: 'i1', turnId: 't1', runId: 'r1', menu, allowed, capabilities });
const receipt = JSON.stringify({
  status: 'delivered',
  deliveryId: 'd1',
  event: 'pick_1',
  moved: true,
  turnComplete: false,
  allowed,
});

const server = createServer((request, response) => {
  const body = request.method === 'GET' ? surface : receipt;
  const headers = {
    [protocol.headers.version]: protocol.version,
    'content-type': 'application/json',
    'content-length': body.length,
    etag: '"s1"',
  };
  request.resume().once('end', () => response.writeHead(200, headers).end(body));
});
server.keepAliveTimeout = protocol.constants.serverIdleMs;
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit());
