import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Mock, startMock } from './mock.ts';

describe('a mock of the harness', () => {
  let mock: Mock;
  beforeAll(async () => {
    mock = await startMock('harness');
  });
  afterEach(() => mock.violations.splice(0));
  afterAll(() => mock.close());

  const path = '/agents/reviewer/run_1.reviewer.0';
  const token = { authorization: 'Bearer any' };
  const get = (headers: Record<string, string> = {}) =>
    fetch(`${mock.url}${path}?view=history`, { headers: { ...token, ...headers } });
  const post = (body: string) =>
    fetch(mock.url + path, { method: 'POST', body, headers: { ...token, 'content-type': 'application/json' } });

  it('answers as ours, with the first good answer where nothing is preferred', async () => {
    const answer = await post(JSON.stringify({ message: 'Review this.' }));
    expect(answer.status).toBe(202);
    expect(answer.headers.get('turnwire-version')).toBe('1');
    expect(await answer.json()).toMatchObject({ submissionId: expect.any(String) });
    expect(mock.violations).toEqual([]);
  });

  it('gives the status and the example that are preferred, with the code of that example', async () => {
    const answer = await get({ prefer: 'code=404, example=unknown_submission' });
    expect(answer.status).toBe(404);
    expect(answer.headers.get('turnwire-code')).toBe('unknown_submission');
    expect(await answer.json()).toMatchObject({ code: 'unknown_submission' });
  });

  it('reads a quoted preference, and one that is split over two headers', async () => {
    const headers = new Headers(token);
    headers.append('prefer', 'code="410"');
    headers.append('prefer', 'example="conversation_freed"');
    const answer = await fetch(`${mock.url}${path}?view=history`, { headers });
    expect(answer.status).toBe(410);
    expect(await answer.json()).toMatchObject({ detail: expect.stringContaining('freed') });
  });

  it('answers with a problem whatever the client accepts, and with a stream where that is accepted', async () => {
    const problem = await get({ accept: 'application/json', prefer: 'code=401' });
    expect([problem.status, problem.headers.get('content-type')]).toEqual([401, 'application/problem+json']);
    const stream = await get({ accept: 'text/event-stream', prefer: 'code=200, example=closing' });
    expect(stream.headers.get('content-type')).toBe('text/event-stream');
    expect(await stream.text()).toContain('"streamClosed":true');
  });

  it('asks for a token, and says what a wrong request is', async () => {
    expect((await fetch(`${mock.url}${path}?view=history`)).status).toBe(401);
    expect((await post('{}')).status).toBe(422);
    expect((await post('{')).status).toBe(422);
    expect(mock.violations).toEqual([
      expect.stringMatching(/^get .* 401: request .*security/),
      expect.stringMatching(/^post .* 422: request body .*message/),
      expect.stringMatching(/^post .* 422: request body /),
    ]);
  });

  it('answers a HEAD and a 204 without a body', async () => {
    const head = await fetch(`${mock.url}${path}?view=updates`, { method: 'HEAD', headers: token });
    expect([head.status, head.headers.get('stream-next-offset')]).toEqual([200, 'k3v9q2_0000000000000007']);
    const health = await fetch(`${mock.url}/healthz`);
    expect([health.status, health.headers.get('content-type')]).toEqual([204, null]);
  });

  it('has nothing of ours for a path or a status that the document does not have', async () => {
    for (const answer of [await get({ prefer: 'code=418' }), await fetch(`${mock.url}/nowhere`)]) {
      expect(answer.status).toBe(404);
      expect(answer.headers.get('turnwire-version')).toBeNull();
      expect(await answer.json()).toMatchObject({ type: expect.stringContaining('prism') });
    }
  });
});

it('a taken port is the error of listen', async () => {
  const mock = await startMock('custodian');
  const port = Number(new URL(mock.url).port);
  await expect(startMock('custodian', port)).rejects.toMatchObject({ code: 'EADDRINUSE' });
  await mock.close();
  await expect(fetch(mock.url)).rejects.toThrow();
});
