import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { registration } from './nodes.fixture.ts';
import type { NodeRecord } from './port.ts';
import { Prober } from './probe.ts';

const servers: Server[] = [];
const prober = new Prober();
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function served(listener: RequestListener): Promise<NodeRecord> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return at(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

const at = (baseUrl: string): NodeRecord => ({
  ...registration({ baseUrl }),
  nodeId: 'n',
  health: 'unknown',
  lifecycle: 'starting',
  registeredAt: 0,
  heardAt: 0,
  moves: 1,
});
const ask = (node: NodeRecord) => prober.probe(node, new AbortController().signal);

describe('a probe', () => {
  it('TW-NOD-016, TW-TOK-008: is a GET of /healthz without a token', async () => {
    const seen: unknown[] = [];
    const node = await served(({ method, url, headers }, response) => {
      seen.push([method, url, headers.authorization]);
      response.writeHead(204, { 'turnwire-version': '1' }).end();
    });
    expect(await ask({ ...node, baseUrl: `${node.baseUrl}/behind` })).toBe(true);
    expect(seen).toEqual([['GET', '/behind/healthz', undefined]]);
  });

  it.each<[string, RequestListener]>([
    ['somebody else’s page', (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')],
    ['a redirect', (_, response) => response.writeHead(302, { location: '/healthz', 'turnwire-version': '1' }).end()],
    ['a failure of ours', (_, response) => response.writeHead(503, { 'turnwire-version': '1' }).end()],
    ['a cut', ({ socket }) => socket.destroy()],
  ])('TW-CER-001, TW-CER-020: is not good after %s, and is asked once', async (_name, listener) => {
    let asked = 0;
    const node = await served((request, response) => {
      asked += 1;
      listener(request, response);
    });
    expect(await ask(node)).toBe(false);
    expect(asked).toBe(1);
  });

  it('is not good where nobody listens, and goes with the node to its next address', async () => {
    const gone = await served(() => {});
    const [server] = servers.splice(0);
    await new Promise((resolve) => server?.close(resolve));
    expect(await ask(gone)).toBe(false);
    const node = await served((_, response) => response.writeHead(204, { 'turnwire-version': '1' }).end());
    expect(await ask(node)).toBe(true);
    prober.forget('n');
    expect(await ask(node)).toBe(true);
  });

  it('ends with its signal', async () => {
    const node = await served(() => {});
    expect(await prober.probe(node, AbortSignal.timeout(50))).toBe(false);
  });
});
