/** Orchestrator processes on one database, killed and started again: what a person with `kill -9` does. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Connection, connect, systemClock } from '@turnwire/sdk';
import Database from 'better-sqlite3';
import { build } from 'vite';
import { FakeHarness } from './host/harness.fixture.ts';
import { until } from './host/world.fixture.ts';
import { openStore } from './store/open.ts';
import { instanceToken, placementToken, signingKey } from './tokens.ts';

const folder = new URL('.', import.meta.url).pathname;
const conditions = ['turnwire-source', 'node', 'import', 'default'];

/** The program as one file, beside the modules that it imports: it starts in a third of the time, and these tests start it often. */
async function bundled(): Promise<string> {
  const outDir = join(folder, `../../node_modules/.cache/turnwire-mortal-${process.pid}`);
  await build({
    configFile: false,
    logLevel: 'error',
    root: folder,
    resolve: { conditions },
    ssr: { noExternal: [/^@turnwire\//], resolve: { conditions } },
    build: {
      ssr: join(folder, 'killed-serve.fixture.ts'),
      outDir,
      emptyOutDir: true,
      target: 'node20',
      rollupOptions: { output: { entryFileNames: 'serve.mjs' } },
    },
  });
  process.once('exit', () => rmSync(outDir, { recursive: true, force: true }));
  return join(outDir, 'serve.mjs');
}

let made: Promise<string> | undefined;
const statecharts = new URL('../../contract-tests/statecharts/', import.meta.url).pathname;

interface Child {
  process: ChildProcess;
  log: string;
  listening: Promise<void>;
  ended: Promise<void>;
  over: boolean;
}

export class MortalOrchestrator {
  readonly folder = mkdtempSync(join(tmpdir(), 'turnwire-mortal-'));
  readonly harness = new FakeHarness();
  url = '';
  /** For people's requests, and for a Harness's. */
  people!: Connection;
  agents!: Connection;
  deaths = 0;
  program = '';
  #spare: Child | undefined;
  #current: Child | undefined;
  #closed = false;

  static async open(): Promise<MortalOrchestrator> {
    const world = new MortalOrchestrator();
    made ??= bundled();
    world.program = await made;
    await world.harness.start();
    await world.#meetHarness();
    world.url = `http://127.0.0.1:${await freePort()}`;
    const key = signingKey(world.stateDir);
    // A ladder ten times as steep: a process is away for half a second here.
    const clock = { now: Date.now, sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(ms / 10, signal) };
    const clients = { baseUrl: world.url, clock };
    world.people = connect({ ...clients, token: instanceToken(world.stateDir) });
    world.agents = connect({ ...clients, token: placementToken(key, 'local') });
    return world;
  }

  /** The Harness is known before anything begins: no admission is at first contact. */
  async #meetHarness(): Promise<void> {
    const capabilities = { idempotentAdmissions: true, fencedAbort: true, submissionStreams: true };
    const store = await openStore(`file:${this.database}`, { waitMs: 1_000 });
    await store.commit([
      { placements: [{ placement: 'local', store: this.harness.store, capabilities, at: Date.now() }] },
    ]);
    store.close();
  }

  get stateDir(): string {
    return join(this.folder, 'state');
  }

  get database(): string {
    return join(this.folder, 'runs.db');
  }

  get pid(): number {
    return this.#current?.process.pid ?? 0;
  }

  /**
   * Starts a process that dies where `kill` says, and after it as many as it takes: each death is followed by another start, of a
   * process that dies there too (`always`) or of one that lives.
   */
  async live(kill: string | undefined, always = false): Promise<void> {
    await this.start(kill);
    void this.#follow(always ? kill : undefined);
  }

  async start(kill?: string): Promise<void> {
    const child = this.#spare ?? this.#spawn();
    this.#spare = undefined;
    this.#current = child;
    const flags = {
      host: '127.0.0.1',
      port: Number(new URL(this.url).port),
      workflows: statecharts,
      databaseUrl: `file:${this.database}`,
      stateDir: this.stateDir,
      harnessUrl: this.harness.url,
      placement: 'local',
      restartGrace: 15,
    };
    child.process.stdin?.end(JSON.stringify({ flags, ...(kill === undefined ? {} : { kill }) }));
    await Promise.race([child.listening, child.ended]);
    if (child.process.exitCode !== null) throw new Error(`the orchestrator did not start: ${child.log}`);
  }

  async #follow(kill: string | undefined): Promise<void> {
    while (!this.#closed) {
      // Ready before it is needed: a start is most of what a restart costs.
      if (this.deaths === 0 || kill !== undefined) this.#spare = this.#spawn();
      await this.#current?.ended;
      if (this.#closed) return;
      this.deaths += 1;
      await this.start(kill);
    }
  }

  async kill(): Promise<void> {
    this.#current?.process.kill('SIGKILL');
    await this.#current?.ended;
  }

  rows(sql: string): Record<string, string | number | null>[] {
    const database = new Database(this.database, { readonly: true });
    try {
      return database.prepare(sql).all() as Record<string, string | number | null>[];
    } finally {
      database.close();
    }
  }

  write(sql: string, ...values: unknown[]): void {
    const database = new Database(this.database);
    database.prepare(sql).run(...values);
    database.close();
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const child of [this.#spare, this.#current]) {
      child?.process.kill('SIGKILL');
      await child?.ended;
    }
    await Promise.all([this.people.close(), this.agents.close()]);
    await this.harness.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  #spawn(): Child {
    const child = spawn(process.execPath, [this.program], { stdio: ['pipe', 'pipe', 'pipe'] });
    child.stdin.on('error', () => {});
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    const listening = new Promise<void>((resolve) => child.stdout.once('data', () => resolve()));
    const one: Child = { process: child, log: '', listening, ended, over: false };
    child.stderr.on('data', (data: Buffer) => {
      one.log = (one.log + data.toString()).slice(-10_000);
    });
    void ended.then(() => {
      one.over = true;
    });
    return one;
  }

  /** What the process that lives has logged. */
  get log(): string {
    return this.#current?.log ?? '';
  }

  /** Waits until nothing is owed any more. */
  async quiet(ms = 20_000): Promise<void> {
    await until('nothing to be owed', () => this.rows('SELECT run_id FROM runs WHERE live = 1').length === 0, ms);
  }
}

/** A port that stays the same across the processes: nobody else of this test listens meanwhile. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
