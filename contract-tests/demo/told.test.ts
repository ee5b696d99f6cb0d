import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { untruths } from './told.ts';

let server: Server;
afterEach(() => new Promise((resolve) => server.close(resolve)));

/** A harness whose only conversation has these tool records, served in pages of two. */
async function harness(records: object[]) {
  server = createServer((request, response) => {
    const from = Math.max(0, Number(new URL(request.url ?? '', 'http://x').searchParams.get('offset')));
    const next = Math.min(records.length, from + 2);
    const tail = next === records.length ? { 'stream-up-to-date': 'true' } : {};
    response.writeHead(200, { 'stream-next-offset': String(next), ...tail });
    response.end(JSON.stringify(records.slice(from, next)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: 't' };
}

const called = { type: 'tool.called', name: 'go' };
const answered = (outcome: string) => ({ type: 'tool.answered', name: 'go', outcome });
const look = async (records: object[], taken: number) =>
  untruths(
    await harness(records),
    new Map([['i', 'a']]),
    Array.from({ length: taken }, () => ({ iid: 'i', event: 'go' })),
  );

it.each([
  ['told moved, and it was taken', [called, answered('moved')], 1, 0],
  ['told moved, and it was not', [called, answered('moved')], 0, 1],
  ['told that it did not reach, and it was taken', [called, answered('never_reached')], 1, 1],
  [
    'told that it did not reach, and then it was taken',
    [called, answered('never_reached'), called, answered('moved')],
    1,
    0,
  ],
  ['told unknown, taken', [called, answered('unknown')], 1, 0],
  ['told unknown, not taken', [called, answered('unknown_turn_ended')], 0, 0],
  ['never told, as the harness died', [called], 1, 0],
  ['told once, taken twice', [called, answered('turn_complete')], 2, 1],
])('%s', async (_, records, taken, findings) => {
  expect(await look(records, taken)).toHaveLength(findings);
});
