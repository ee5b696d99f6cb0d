import { afterEach, describe, expect, it } from 'vitest';
import { createApp } from './app.ts';
import { readJson } from './body.ts';
import { type Listening, listen } from './listen.ts';
import { createLogger } from './logger.ts';
import { Problem } from './problem.ts';

const log = createLogger('test');
log.level = 'silent';

function app() {
  const it = createApp({ log, headers: () => ({ 'turnwire-store': 'st_1' }) });
  it.post('/admit', async (c) => c.json(await readJson(c, 'harness', 'admit')));
  it.get('/problem', () => {
    throw new Problem('draining', 'going away', { headers: { 'retry-after': '1' } });
  });
  it.get('/defect', () => {
    throw new Error('a secret inside');
  });
  return it;
}

const post = (body: BodyInit, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
  app().request('/admit', { method: 'POST', body, headers });

describe('createApp', () => {
  it.each([
    ['/nowhere', 404, 'not_found'],
    ['/problem', 503, 'draining'],
    ['/defect', 500, 'internal_error'],
  ])('answers %s as a problem document with its code in the header too', async (path, status, code) => {
    const answer = await app().request(path);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.headers.get('turnwire-code')).toBe(code);
    expect(answer.headers.get('turnwire-version')).toBe('1');
    expect(answer.headers.get('turnwire-store')).toBe('st_1');
    const text = await answer.text();
    expect(JSON.parse(text)).toMatchObject({ code, status });
    expect(text).not.toContain('a secret inside');
  });

  it('refuses another major version before anything else', async () => {
    const answer = await app().request('/problem', { headers: { 'turnwire-version': '2' } });
    expect([answer.status, answer.headers.get('turnwire-code')]).toEqual([400, 'unsupported_version']);
    expect(answer.headers.get('turnwire-store')).toBe('st_1');
    expect((await app().request('/problem', { headers: { 'turnwire-version': '1' } })).status).toBe(503);
  });
});

describe('readJson', () => {
  it('takes what the spec takes, unknown fields included', async () => {
    const answer = await post('{"message":"hi","later":1}');
    expect([answer.status, await answer.json()]).toEqual([200, { message: 'hi', later: 1 }]);
  });

  it.each([
    ['no JSON', '{', 'bad_request'],
    ['no UTF-8', new Uint8Array([0x22, 0xff, 0x22]), 'bad_request'],
    ['too deep', '['.repeat(200), 'bad_request'],
  ])('refuses a body that is %s', async (_, body, code) => {
    const answer = await post(body);
    expect([answer.status, answer.headers.get('turnwire-code')]).toEqual([400, code]);
  });

  it('refuses another media type', async () => {
    expect((await post('{"message":"hi"}', { 'content-type': 'text/plain' })).status).toBe(400);
  });

  it('names each thing that is wrong by its JSON Pointer', async () => {
    const answer = await post('{"notices":[1]}');
    expect(answer.status).toBe(422);
    const { code, problems } = (await answer.json()) as { code: string; problems: { path: string }[] };
    expect(code).toBe('invalid');
    expect(problems.map(({ path }) => path).sort()).toEqual(['/message', '/notices/0']);
  });

  it('refuses more than 8 MiB, declared or not', async () => {
    const body = `"${'x'.repeat(8 * 1024 * 1024)}"`;
    expect((await post(body)).status).toBe(413);
    const stream = new ReadableStream({
      pull(controller) {
        controller.enqueue(new Uint8Array(1024 * 1024));
      },
    });
    const request = new Request('http://x/admit', {
      method: 'POST',
      body: stream,
      headers: { 'content-type': 'application/json' },
      duplex: 'half',
    } as RequestInit);
    expect((await app().request(request)).status).toBe(413);
  });
});

describe('listen', () => {
  let first: Listening | undefined;
  afterEach(() => first?.close({ graceMs: 0 }));

  it('says in one line that a port is taken and what to do', async () => {
    first = await listen({ app: app(), host: '127.0.0.1', port: 0, role: 'test', announce: false });
    expect((await fetch(`${first.url}/problem`)).status).toBe(503);
    const second = listen({ app: app(), host: '127.0.0.1', port: first.port, role: 'test' });
    await expect(second).rejects.toThrow(/^port \d+ on 127\.0\.0\.1 is taken; choose another .*--port/);
  });

  it('closes although a socket never sent a request', async () => {
    const { connect } = await import('node:net');
    const server = await listen({ app: app(), host: '127.0.0.1', port: 0, role: 'test', announce: false });
    const socket = connect(server.port, '127.0.0.1');
    await new Promise((resolve) => socket.once('connect', resolve));
    const ended = new Promise((resolve) => socket.once('close', resolve));
    await server.close({ graceMs: 10 });
    await ended;
  });

  it.each([
    ['what is no HTTP', 'nonsense\r\n\r\n'],
    ['a head of 200 kB', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(200_000)}\r\n\r\n`],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n'],
    ['no Host', 'GET / HTTP/1.1\r\n\r\n'],
    ['two Hosts', 'GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n'],
    ['a malformed Host', 'GET / HTTP/1.1\r\nHost: a/b@c\r\n\r\n'],
    ['no path', 'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['CONNECT', 'CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n'],
    ['an expectation', 'POST / HTTP/1.1\r\nHost: x\r\nExpect: more\r\nContent-Length: 2\r\n\r\n{}'],
  ])(
    'answers %s as a role does, once, and ends the connection (TW-GEN-001, TW-GEN-004, TW-GEN-005)',
    async (_, text) => {
      const { connect } = await import('node:net');
      first = await listen({ app: app(), host: '127.0.0.1', port: 0, role: 'test', announce: false });
      const socket = connect(first.port, '127.0.0.1', () => socket.write(text));
      let answer = '';
      for await (const chunk of socket) answer += chunk;
      const [head = '', body = ''] = answer.split('\r\n\r\n');
      expect(head.match(/HTTP\/1\.1 400 Bad Request/g)).toHaveLength(1);
      for (const line of [
        'turnwire-version: 1',
        'turnwire-code: bad_request',
        'turnwire-store: st_1',
        'connection: close',
      ])
        expect(head.toLowerCase()).toContain(line);
      expect(body).toContain('"code":"bad_request"');
    },
  );

  it('serves an HTTP/1.0 client that names no host', async () => {
    const { connect } = await import('node:net');
    first = await listen({ app: app(), host: '127.0.0.1', port: 0, role: 'test', announce: false });
    const socket = connect(first.port, '127.0.0.1', () => socket.write('GET /nowhere HTTP/1.0\r\n\r\n'));
    let answer = '';
    for await (const chunk of socket) answer += chunk;
    expect(answer).toContain('turnwire-code: not_found');
  });
});
