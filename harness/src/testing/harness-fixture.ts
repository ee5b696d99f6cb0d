/** A Harness for tests: a folder of its own, scripted turns, and its API on a real socket. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger, type Listening, listen, sha256 } from '@turnwire/server';
import { createHarnessApp } from '../api/app.ts';
import { Harness, type HarnessOptions } from '../host/harness.ts';
import { Metrics } from '../metrics.ts';
import type { AgentDefinition } from '../turn/port.ts';
import { ScriptedTurns } from './scripted-turns.ts';

export const TOKEN = 'a-harness-token-for-tests';
export const DEFINITION: AgentDefinition = { model: 'openai/any', instructions: 'Do as you are told.' };

export interface Fixture {
  readonly harness: Harness;
  readonly turns: ScriptedTurns;
  readonly url: string;
  readonly listening: Listening;
  readonly errors: unknown[];
  call(method: string, path: string, options?: CallOptions): Promise<Response>;
  admit(iid: string, message: string, more?: object, headers?: Record<string, string>): Promise<AdmissionView>;
  close(): Promise<void>;
}

export interface CallOptions {
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

export interface AdmissionView {
  readonly streamUrl: string;
  readonly offset: string;
  readonly submissionId: string;
}

/** In memory where the machine has that: thousands of restarts are not to wait for a disk. */
export const temporaryFolder = (): string =>
  mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'turnwire-harness-'));

let ids = 0;

/** A Harness on a folder, without its API; nothing runs before `recover`. */
export function makeHarness(dataDir: string, options: Partial<HarnessOptions> = {}) {
  const turns = new ScriptedTurns();
  const errors: unknown[] = [];
  const log = createLogger('harness');
  log.level = 'silent';
  const harness = new Harness({
    dataDir,
    keepMs: 7 * 24 * 3_600_000,
    concurrency: 8,
    runTurn: turns.runTurn,
    surface: undefined as never,
    engine: undefined as never,
    clock: { now: () => Date.now(), sleep: () => Promise.resolve() },
    newId: (prefix) => `${prefix}_${process.pid}_${++ids}`,
    log,
    settled: () => undefined,
    fail: (error) => errors.push(error),
    ...options,
  });
  return { harness, turns, errors, log };
}

/** @param folder kept when it is given; else it is removed at the end */
export async function startHarness(options: Partial<HarnessOptions> = {}, folder?: string): Promise<Fixture> {
  const dataDir = folder ?? temporaryFolder();
  const { harness, turns, errors, log } = makeHarness(dataDir, options);
  harness.recover();
  const app = createHarnessApp({
    harness: () => harness,
    ready: Promise.resolve(harness),
    store: () => harness.folder.store,
    tokenDigest: sha256(TOKEN),
    agents: new Map([['configured', DEFINITION]]),
    knownModel: (model) => model.startsWith('openai/'),
    metrics: new Metrics(() => harness),
    log,
    software: { name: 'test', version: '0' },
  });
  const listening = await listen({ app, host: '127.0.0.1', port: 0, role: 'harness', announce: false });
  const call: Fixture['call'] = (method, path, { body, headers, signal } = {}) =>
    fetch(path.startsWith('http') ? path : `${listening.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${TOKEN}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    });
  return {
    harness,
    turns,
    url: listening.url,
    listening,
    errors,
    call,
    async admit(iid, message, more = {}, headers = {}) {
      const body = { message, definition: DEFINITION, ...more };
      const response = await call('POST', `/agents/coder/${iid}`, { body, headers });
      if (response.status !== 202) throw new Error(`${response.status} ${await response.text()}`);
      return (await response.json()) as AdmissionView;
    },
    async close() {
      harness.draining.abort();
      harness.closing.abort();
      await listening.close({ graceMs: 100 });
      await harness.journal.settled();
      harness.conversations.close();
      if (folder === undefined) rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Waits for a condition, never for a time. */
export async function until(condition: () => boolean | Promise<boolean>, what = 'the condition'): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`waited too long for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** The records of a Submission up to its settlement, by long-polls. */
export async function follow(fixture: Fixture, { streamUrl, offset }: AdmissionView) {
  const records: { type: string; submissionId: string; [field: string]: unknown }[] = [];
  for (let next = offset; ; ) {
    const response = await fixture.call('GET', `${streamUrl}&live=long-poll&offset=${next}`);
    if (response.status === 200) records.push(...((await response.json()) as typeof records));
    else if (response.status !== 204) throw new Error(`${response.status} ${await response.text()}`);
    next = response.headers.get('stream-next-offset') ?? '';
    if (response.headers.get('stream-closed') === 'true') return records;
  }
}
