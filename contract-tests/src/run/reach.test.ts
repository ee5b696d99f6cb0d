import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { begun } from './reach.ts';

let server: Server;
afterEach(() => server.close());

/** Answers `/readyz` with these codes, one after the other and then the last one; `undefined` is 204. */
async function subject(...codes: (string | undefined)[]) {
  const asked: string[] = [];
  server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const code = codes.length > 1 ? codes.shift() : codes[0];
    response.writeHead(code === undefined ? 204 : 503, code === undefined ? {} : { 'turnwire-code': code }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

describe('TW-GEN-024: the first request of a check', () => {
  it('waits for a subject that says that it is starting', async () => {
    const { url, asked } = await subject('starting', 'starting', undefined);
    await begun(url, 1_000, 10_000);
    expect(asked).toEqual(['/readyz', '/readyz', '/readyz']);
  });

  it('does not wait for one that says something else', async () => {
    const { url, asked } = await subject('draining');
    await begun(url, 1_000, 10_000);
    expect(asked).toHaveLength(1);
  });

  it('is sent in the end, however long it takes', async () => {
    const { url, asked } = await subject('starting');
    await begun(url, 1_000, 50);
    expect(asked.length).toBeGreaterThan(1);
  });
});
