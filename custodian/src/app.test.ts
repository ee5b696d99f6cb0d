import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer as createTcp, type Server as TcpServer } from 'node:net';
import { protocol } from '@turnwire/sdk';
import { createLogger, type Listening, listen } from '@turnwire/server';
import { Agent } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCustodian } from './app.ts';
import { createHealth } from './health.ts';
import { type SentWatch, watchSent } from './sent.ts';

const TOKEN = `local.${'t'.repeat(43)}`;
const log = createLogger('test');
log.level = 'silent';

interface Arrived {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

describe('the custodian between real sockets', () => {
  let arrived: Arrived[];
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  let upstream: Server | TcpServer;
  let custodian: Listening;
  let sent: SentWatch;
  let dispatcher: Agent;
  const lines: unknown[] = [];

  const open = async (server: Server | TcpServer, port = 0) => {
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  };
  const front = async (port: number) => {
    sent = watchSent();
    dispatcher = new Agent({ keepAliveTimeout: protocol.constants.idleSocketMs });
    const logger = log.child({}, { level: 'silent' });
    logger.info = logger.warn = ((fields: object, msg: string) =>
      lines.push({ ...fields, msg })) as unknown as typeof logger.info;
    const app = createCustodian({
      upstream: { origin: `http://127.0.0.1:${port}`, base: '', dispatcher, sent },
      token: { read: () => ({ placement: 'local', token: TOKEN }) },
      log,
      decisions: logger,
    });
    custodian = await listen({ app, host: '127.0.0.1', port: 0, role: 'custodian', announce: false });
  };

  beforeEach(async () => {
    arrived = [];
    lines.length = 0;
    answer = (_, response) => response.writeHead(200, { 'turnwire-version': '1' }).end('{}');
    upstream = createServer(async (request, response) => {
      let body = '';
      try {
        for await (const chunk of request) body += chunk;
      } catch {
        return; // It was cut: no whole request arrived.
      }
      arrived.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
      answer(request, response);
    });
    await front(await open(upstream));
  });
  afterEach(async () => {
    await custodian.close({ graceMs: 0 });
    await dispatcher.destroy();
    sent.close();
    if ('closeAllConnections' in upstream) upstream.closeAllConnections();
    await new Promise((resolve) => upstream.close(resolve));
  });

  const ask = (path: string, init: RequestInit = {}) =>
    fetch(custodian.url + path, {
      ...init,
      headers: { authorization: `Bearer ${protocol.custodian.standIn}`, ...init.headers },
    });
  const pick = () =>
    ask('/agents/a/events', {
      method: 'POST',
      body: '{"turnId":"t"}',
      headers: { 'content-type': 'application/json' },
    });

  it('swaps the stand-in for the token, and passes body, status and the other role’s headers', async () => {
    answer = (_, response) =>
      response
        .writeHead(422, {
          'turnwire-version': '1',
          'turnwire-code': 'refused',
          'x-turnwire-custodian': 'unreachable',
          connection: 'close',
        })
        .end('{"code":"refused"}');
    const response = await pick();
    expect(arrived).toHaveLength(1);
    expect(arrived[0]).toMatchObject({ method: 'POST', url: '/agents/a/events', body: '{"turnId":"t"}' });
    expect(arrived[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`);
    expect([response.status, response.headers.get('turnwire-code')]).toEqual([422, 'refused']);
    expect(response.headers.get('x-turnwire-custodian')).toBeNull();
    expect(await response.text()).toBe('{"code":"refused"}');
    expect(lines).toMatchObject([{ msg: 'forward', route: 'pick', status: 422, attempts: 1 }]);
  });

  it('leaves an answer that is not ours as it is: it must not look like ours', async () => {
    answer = (_, response) => response.writeHead(404).end('an ingress');
    const response = await ask('/agents/a/surface');
    expect([response.status, response.headers.get('turnwire-version')]).toEqual([404, null]);
  });

  it('forwards nothing that it does not know', async () => {
    const response = await ask('/runs');
    expect([response.status, response.headers.get('turnwire-code'), response.headers.get('turnwire-version')]).toEqual([
      404,
      'no_route',
      '1',
    ]);
    expect((await fetch(`${custodian.url}/agents/a/surface`)).status).toBe(403);
    expect(arrived).toEqual([]);
  });

  it('marks its own failure, and sends a refused pick three times at most', async () => {
    const dead = createTcp();
    const port = await open(dead);
    await new Promise((resolve) => dead.close(resolve));
    await custodian.close({ graceMs: 0 });
    sent.close();
    await front(port);
    const response = await pick();
    const problem = (await response.json()) as { code: string; flags: string[]; detail: string };
    expect([response.status, response.headers.get('x-turnwire-custodian')]).toEqual([502, 'unreachable']);
    expect(problem).toMatchObject({ code: 'custodian_unreachable', flags: ['UF', 'URX'] });
    expect(problem.detail).toContain(`connect ECONNREFUSED 127.0.0.1:${port}`);
    expect(lines).toMatchObject([{ msg: 'unreachable', attempts: 3 }]);
    expect(JSON.stringify(lines) + JSON.stringify(problem)).not.toContain(TOKEN);
  });

  it('never sends a pick again that may have arrived, but asks a read once more', async () => {
    answer = (request) => request.socket.destroy();
    const response = await pick();
    expect(response.status).toBe(502);
    const { flags } = (await response.json()) as { flags: string[] };
    expect(flags).toHaveLength(1);
    expect(['UC', 'UR']).toContain(flags[0]);
    expect(arrived).toHaveLength(1);
    expect((await ask('/agents/a/deliveries/d?wait=1')).status).toBe(502);
    expect(arrived).toHaveLength(3);
  });

  it.each(['declared', 'chunked'])('a body over the limit is 413, never a maybe: %s', async (how) => {
    const limit = protocol.constants.bodyLimitBytes;
    const stream = new ReadableStream({
      start(controller) {
        for (let sent = 0; sent <= limit; sent += 1024 * 1024) controller.enqueue(new Uint8Array(1024 * 1024));
        controller.close();
      },
    });
    const body = how === 'declared' ? 'x'.repeat(limit + 1) : stream;
    const init = { method: 'POST', body, duplex: 'half', headers: { 'content-type': 'application/json' } };
    const response = await ask('/agents/a/events', init as RequestInit);
    expect([response.status, response.headers.get('turnwire-code')]).toEqual([413, 'too_large']);
    expect(arrived).toEqual([]);
  });

  it('cuts its own answer short where the upstream’s was, and adds no header to it', async () => {
    answer = (_, response) => response.writeHead(200, { 'content-length': '100', etag: '"1"' }).write('{');
    const response = await ask('/agents/a/surface');
    expect([response.headers.get('content-length'), response.headers.get('content-type')]).toEqual(['100', null]);
    (upstream as Server).closeAllConnections();
    await expect(response.text()).rejects.toThrow();
    expect(lines).toMatchObject([{ msg: 'forward', status: 200 }, { msg: 'the answer was cut short' }]);
  });

  it('resets the upstream request when its client goes away', async () => {
    const gone = new Promise((resolve) => {
      answer = (request) => request.socket.once('close', resolve);
    });
    const socket = connect(custodian.port, '127.0.0.1');
    socket.write(
      `GET /agents/a/surface HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${protocol.custodian.standIn}\r\n\r\n`,
    );
    while (arrived.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    socket.destroy();
    await gone;
  });

  it('says of a body that turns out to be malformed that it is its sender’s, and lets no whole request through', async () => {
    const socket = connect(custodian.port, '127.0.0.1');
    const authorization = `Authorization: Bearer ${protocol.custodian.standIn}`;
    socket.write(
      `POST /agents/a/events HTTP/1.1\r\nHost: x\r\n${authorization}\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n`,
    );
    await new Promise((resolve) => setTimeout(resolve, 50));
    socket.write('no chunk\r\n');
    let answer = '';
    for await (const data of socket) answer += data;
    expect(answer).toContain('HTTP/1.1 400 Bad Request');
    while (lines.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(lines).toMatchObject([{ msg: 'unreachable', route: 'pick', flags: ['DPE'] }]);
    expect(arrived).toEqual([]);
  });

  it('gives an answer whose head came alone on at once', async () => {
    answer = (_, response) => response.writeHead(200, { 'content-length': '2' }).flushHeaders();
    const response = await ask('/agents/a/surface');
    expect(response.status).toBe(200);
  });

  it('answers health on its own port and nothing else there', async () => {
    const health = createHealth(log);
    expect((await health.request('/healthz')).status).toBe(204);
    const other = await health.request('/agents/a/surface');
    expect([other.status, other.headers.get('turnwire-code')]).toEqual([404, 'no_route']);
  });
});
