/** Stands for the Orchestrator, and costs next to nothing: canned answers on keep-alive sockets; a poll is held. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const surface = JSON.stringify({
  iid: 'bench',
  turnId: 'turn',
  runId: 'run',
  menu: Array.from({ length: 8 }, (_, index) => ({
    name: `pick_${index}`,
    description: 'What this pick does, in a sentence or two, as a workflow author would write it.',
    input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  })),
  allowed: ['pick_0', 'pick_1'],
  capabilities: { clientDeliveryIds: true },
});
const receipt = JSON.stringify({
  status: 'delivered',
  deliveryId: 'd',
  event: 'pick_0',
  moved: true,
  turnComplete: false,
  allowed: ['pick_1'],
});

const server = createServer((request, response) => {
  if (request.url?.includes('/deliveries/')) return;
  const body = request.method === 'GET' ? surface : receipt;
  const answer = () =>
    response
      .writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'turnwire-version': '1',
        etag: '"surface"',
      })
      .end(body);
  if (request.method === 'GET') return answer();
  request.resume();
  request.once('end', answer);
});
server.keepAliveTimeout = 65_000;
server.listen(0, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  process.stdout.write(`${JSON.stringify({ event: 'listening', url })}\n`);
});
