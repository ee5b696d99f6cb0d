/** Subjects that are no harness at all: none of them may pass a check. `node null.ts KIND` */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const json = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
};

const kinds: Readonly<Record<string, (response: ServerResponse) => void>> = {
  not_found: (response) => json(response, 404, { error: 'not found' }),
  empty: (response) => json(response, 200, {}),
  unavailable: (response) => json(response, 503, { error: 'unavailable' }),
  hang: () => undefined,
  close: (response) => response.destroy(),
};

const answer = kinds[process.argv[2] ?? ''];
const server = createServer((request, response) => {
  request.resume();
  answer?.(response);
});
server.listen(0, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  process.stdout.write(`${JSON.stringify({ event: 'listening', role: 'harness', url, pid: process.pid })}\n`);
});
process.on('SIGTERM', () => process.exit(0));
