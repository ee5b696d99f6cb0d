import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger, StartError } from '@turnwire/server';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type FakeHost, fakeHost } from './api/host.fixture.ts';
import { type Prepared, type Serving, serve } from './serve.ts';
import type { Settings } from './settings.ts';
import { placementToken, signingKey } from './tokens.ts';

let dir: string;
let lines: string[];
let serving: Serving | undefined;
let host: FakeHost;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tw-serve-'));
  lines = [];
  host = fakeHost();
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    lines.push(String(text));
    return true;
  });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await serving?.stop();
  serving = undefined;
  rmSync(dir, { recursive: true });
});

const settings = (more: Partial<Settings> = {}): Settings => ({
  host: '127.0.0.1',
  port: 0,
  workflows: dir,
  database: join(dir, 'db'),
  stateDir: join(dir, 'state'),
  harnessUrl: 'http://127.0.0.1:1',
  placement: 'local',
  restartGraceMs: 0,
  strict: false,
  ...more,
});

async function start(startHost: Prepared['startHost'], more: Partial<Settings> = {}): Promise<Serving> {
  const log = createLogger('orchestrator');
  log.level = 'silent';
  const parts = {
    log,
    software: { name: 'x', version: '1' },
    feedCommentMs: 15_000,
    prepare: () => Promise.resolve({ startHost }),
  };
  serving = await serve(settings(more), parts);
  return serving;
}

function deferred<T>() {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

describe('a start', () => {
  it('makes its key and token, serves, and says where (TW-GEN-030)', async () => {
    const { ready, url } = await start(() => Promise.resolve(host));
    await ready;
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toEqual({ event: 'listening', role: 'orchestrator', url, pid: process.pid });
    expect(statSync(join(dir, 'state/instance.token')).mode & 0o777).toBe(0o600);
    const token = placementToken(signingKey(join(dir, 'state')), 'local');
    const surface = await fetch(`${url}/agents/iid_1/surface`, { headers: { authorization: `Bearer ${token}` } });
    expect(surface.status).toBe(200);
  });

  it('answers health and readiness alone while it waits for its database (TW-DUR-008)', async () => {
    const waiting = deferred<FakeHost>();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { ready, url } = await start(() => waiting.promise);
    vi.advanceTimersByTime(2_000);
    vi.useRealTimers();
    expect(lines).toHaveLength(1);
    expect((await fetch(`${url}/healthz`)).status).toBe(204);
    expect((await fetch(`${url}/readyz`)).headers.get('turnwire-code')).toBe('starting');
    waiting.resolve(host);
    await ready;
    expect((await fetch(`${url}/readyz`)).status).toBe(204);
    expect(lines).toHaveLength(1);
  });

  it('that cannot open its database leaves nothing behind, and never said that it listens', async () => {
    const { ready, url } = await start(() => Promise.reject(new StartError('the database is newer')));
    await expect(ready).rejects.toThrow('the database is newer');
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
    expect(lines).toEqual([]);
  });

  it('on a taken port is one line, and its database was never opened (TW-GEN-031)', async () => {
    const { url, ready } = await start(() => Promise.resolve(host));
    await ready;
    const first = serving;
    const port = Number(new URL(url).port);
    const opened = vi.fn<Prepared['startHost']>();
    await expect(start(opened, { port })).rejects.toThrow(
      new RegExp(`^port ${port} on 127.0.0.1 is taken; choose another`),
    );
    expect(opened).not.toHaveBeenCalled();
    serving = first;
  });

  it('with a refused workflows folder opens no port', async () => {
    const prepare = () => Promise.reject(new StartError('the workflows folder is odd'));
    const log = createLogger('orchestrator');
    log.level = 'silent';
    await expect(
      serve(settings(), { log, software: { name: 'x', version: '1' }, feedCommentMs: 1, prepare }),
    ).rejects.toThrow('odd');
    expect(lines).toEqual([]);
  });
});

describe('a stop', () => {
  it('refuses, lets the host finish, and closes (TW-DRN-006, TW-DRN-007)', async () => {
    const { ready, url, stop } = await start(() => Promise.resolve(host));
    await ready;
    const finished = deferred<void>();
    host.will('stop', () => finished.promise);
    const stopped = stop();
    expect((await fetch(`${url}/readyz`)).headers.get('turnwire-code')).toBe('stopping');
    expect((await fetch(`${url}/healthz`)).status).toBe(204);
    finished.resolve();
    await stopped;
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
    await stop();
    expect(host.calls.filter(([method]) => method === 'stop')).toHaveLength(1);
  });

  it('while it waits for its database is no failure', async () => {
    const { ready, stop } = await start(
      ({ signal }) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(new StartError('told to stop'))),
        ),
    );
    await stop();
    await ready;
  });

  it('does not wait for ever for a host that hangs', async () => {
    const { ready, stop } = await start(() => Promise.resolve(host));
    await ready;
    host.will('stop', () => new Promise(() => undefined));
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const stopped = stop();
    await vi.advanceTimersByTimeAsync(10_000);
    vi.useRealTimers();
    await stopped;
  });
});
