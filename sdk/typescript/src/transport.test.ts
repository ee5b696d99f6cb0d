import { once } from 'node:events';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { Agent, MockAgent } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { classify } from './certainty.ts';
import { connect, harnessInfo, orchestratorInfo, wait } from './index.ts';
import { ours, startPeer, startRawPeer } from './testing/peer.ts';
import { faultOf, stage } from './testing/stage.ts';
import { type Exchange, exchange, type HttpRequest } from './transport.ts';

const { peerOf, connected } = stage();
const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

/** One attempt on a dispatcher with nothing of ours. */
async function attempt(
  origin: string,
  more: Partial<HttpRequest> = {},
  timeoutMs = 2000,
  signal?: AbortSignal,
): Promise<Exchange> {
  const dispatcher = new Agent({ connect: { timeout: 1000 } });
  open.push(dispatcher);
  const request = { method: 'POST', origin, path: '/x', headers: {}, body: '{"a":1}', ...more };
  return exchange(dispatcher, request, { timeoutMs, ...(signal === undefined ? {} : { signal }) });
}

const verdictOf = async (result: Promise<Exchange>) => classify(await result);

describe('exchange, on real sockets', () => {
  it('an interim answer is none', async () => {
    const peer = await startRawPeer(
      'HTTP/1.1 103 Early Hints\r\nTurnwire-Version: 1\r\n\r\nHTTP/1.1 200 OK\r\nTurnwire-Version: 1\r\nContent-Length: 2\r\n\r\n{}',
    );
    open.push(peer);
    const result = await attempt(peer.url);
    expect(classify(result).certainty).toBe('delivered');
    expect(result.response).toMatchObject({ status: 200, body: {} });
  });

  it('TW-CER-009: the attempt’s own timer is precise, and says nothing about delivery', async () => {
    const peer = await startPeer(() => 'hang');
    open.push(peer);
    const started = performance.now();
    expect(await verdictOf(attempt(peer.url, {}, 120))).toMatchObject({
      certainty: 'unknown',
      evidence: 'attempt_timeout',
    });
    expect(performance.now() - started).toBeLessThan(600);
  });

  it('TW-CER-012: an abort settles at once, also while undici still makes the connection, and nothing is sent later', async () => {
    const server = createTcpServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const port = (server.address() as AddressInfo).port;
    let bytes = 0;
    server.on('connection', (socket) => socket.on('data', (chunk) => (bytes += chunk.length)));
    open.push({ close: () => new Promise((resolve) => server.close(() => resolve())) });
    const controller = new AbortController();
    // A lookup that takes its time keeps the request waiting for its socket.
    const lookup = (
      _: string,
      __: unknown,
      done: (error: null, found: { address: string; family: number }[]) => void,
    ) => setTimeout(() => done(null, [{ address: '127.0.0.1', family: 4 }]), 150);
    const dispatcher = new Agent({ connect: { lookup: lookup as never } });
    const request = { method: 'POST', origin: `http://slow.test:${port}`, path: '/', headers: {}, body: '{}' };
    const result = exchange(dispatcher, request, { timeoutMs: 5000, signal: controller.signal });
    controller.abort();
    expect(classify(await result)).toMatchObject({ certainty: 'unknown', evidence: 'caller_aborted' });
    // Waits for what is queued: the request that was given up.
    await dispatcher.close();
    expect(bytes).toBe(0);
  });

  it('a body beyond the limit is given up', async () => {
    const peer = await startPeer(() => ours(200, 'x'.repeat(65 * 1024 * 1024)));
    open.push(peer);
    const result = await attempt(peer.url, {}, 10_000);
    expect(result.response).toMatchObject({ status: 200, bodyLost: true });
    const waiting = wait(connected(peer.url).connection, { streamUrl: '/s', offset: 'a_0' });
    expect((await faultOf(waiting.settlement())).code).toBe('bad_response');
  });
});

describe('a connection', () => {
  const info = { role: 'harness', version: '1', software: { name: 'x', version: '1' }, store: 's', capabilities: {} };

  it('keeps a socket between requests, and drops it when it was idle for 4 s (TW-RET-028)', async () => {
    const peer = await peerOf(() => ours(200, info));
    const { connection } = connected(peer.url);
    await harnessInfo(connection);
    await harnessInfo(connection);
    expect(peer.seen.map((seen) => seen.connection)).toEqual([1, 1]);
    const idleSince = performance.now();
    await expect.poll(peer.open, { timeout: 4_900, interval: 50 }).toBe(0);
    expect(performance.now() - idleSince).toBeLessThan(4_500);
  }, 10_000);

  it('works on a caller’s dispatcher, and leaves it open', async () => {
    const mock = new MockAgent();
    mock.disableNetConnect();
    mock
      .get('http://mock.test')
      .intercept({ path: '/.well-known/turnwire' })
      .reply(200, info, { headers: { 'turnwire-version': '1', 'content-type': 'application/json' } });
    mock.get('http://mock.test').intercept({ path: '/still-open' }).reply(204);
    const connection = connect({ baseUrl: 'http://mock.test', dispatcher: mock });
    expect(await harnessInfo(connection)).toEqual(info);
    await connection.close();
    expect((await mock.request({ origin: 'http://mock.test', path: '/still-open', method: 'GET' })).statusCode).toBe(
      204,
    );
    await mock.close();
  });

  it('close() ends calls in flight and leaves no socket and no timer behind', async () => {
    const peer = await peerOf(() => 'hang');
    const handles = () =>
      process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap' || kind === 'Timeout').length;
    const before = handles();
    const { connection } = connected(peer.url);
    const faults = [1, 2, 3].map(() => faultOf(orchestratorInfo(connection)));
    await expect.poll(() => peer.seen.length).toBe(3);
    await connection.close();
    for (const fault of await Promise.all(faults)) expect(fault).toMatchObject({ code: 'aborted' });
    await expect.poll(peer.open).toBe(0);
    await expect.poll(handles).toBeLessThanOrEqual(before);
    expect((await faultOf(orchestratorInfo(connection))).message).toContain('closed');
  });

  it('close() does not wait for a connection that is still being made', async () => {
    // Nobody answers there: where there is a route at all, the dial hangs.
    const connection = connect({ baseUrl: 'http://10.255.255.1:81' });
    const fault = faultOf(orchestratorInfo(connection));
    await new Promise((resolve) => setTimeout(resolve, 50));
    const started = performance.now();
    await connection.close();
    expect(['aborted', 'unreachable']).toContain((await fault).code);
    expect(performance.now() - started).toBeLessThan(1000);
  });

  it('a hook that throws decides nothing, and a wrong option is a TypeError', async () => {
    const peer = await peerOf((_, count) => (count === 1 ? 'reset' : ours(200, info)));
    const hook = () => {
      throw new Error('the disk of the log is full');
    };
    const { connection } = connected(peer.url, { log: hook, metric: hook, onRetry: hook });
    expect(await harnessInfo(connection)).toEqual(info);
    await expect(harnessInfo(connection, { windowMs: -1 })).rejects.toThrow(/^windowMs/);
    await expect(harnessInfo(connection, { attemptMs: 2 ** 31 })).rejects.toThrow(/^attemptMs/);
    expect(peer.seen).toHaveLength(2);
  });

  it.each([
    ['baseUrl', { baseUrl: 'nonsense' }],
    ['baseUrl', { baseUrl: 'ftp://x' }],
    ['baseUrl', { baseUrl: 'http://x/?a=1' }],
    ['baseUrl', { baseUrl: 'http://user:secret@x/' }],
    ['token', { baseUrl: 'http://x', token: 'two\r\nlines' }],
    ['headers', { baseUrl: 'http://x', headers: { 'bad name': 'x' } }],
  ])('TW-CER-018: a wrong %s is a TypeError', (argument, options) => {
    expect(() => connect(options)).toThrow(TypeError);
    expect(() => connect(options)).toThrow(argument);
    expect(() => connect(options)).not.toThrow(/secret/);
  });
});
