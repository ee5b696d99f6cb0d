/** A server of Node with its usual 5 s for idle sockets, as a process of its own. Started by keep-alive.ts. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { protocol } from '../gen/protocol.ts';

const arrived: string[] = [];
const server = createServer(async (request, response) => {
  let text = '';
  for await (const piece of request) text += piece;
  const { event } = JSON.parse(text) as { event: string };
  arrived.push(event);
  const receipt = { status: 'delivered', deliveryId: 'd', event, moved: true, turnComplete: false, allowed: [] };
  response.setHeader(protocol.headers.version, protocol.version).end(JSON.stringify(receipt));
});
server.keepAliveTimeout = 5_000;
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('message', () => process.send?.(arrived));
process.on('disconnect', () => process.exit());
