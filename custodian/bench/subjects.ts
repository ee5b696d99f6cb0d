/** The processes that are measured: no proxy, a bare one, and the Custodian on each of its engines. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bootstrap } from '../src/envoy/bootstrap.ts';
import { ENVOY_FLAGS } from '../src/limits.ts';

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** A token like one of ours; the upstream does not look at it. */
const TOKEN = `bench.${'t'.repeat(43)}`;

export interface Subject {
  readonly name: string;
  readonly url: string;
  readonly child: ChildProcess;
}

export class Stage {
  readonly folder = mkdtempSync(join(tmpdir(), 'turnwire-bench-'));
  readonly tokenFile = join(this.folder, 'token');
  readonly #children: ChildProcess[] = [];

  constructor() {
    writeFileSync(this.tokenFile, TOKEN, { mode: 0o600 });
  }

  upstream = () => this.#node('no proxy', ['--import', 'tsx', path('upstream.ts')]);
  bare = (to: string) => this.#node('bare Hono + undici', ['--import', 'tsx', path('bare.ts'), to]);
  node = (to: string) =>
    this.#node(
      'Custodian on Node',
      [path('../bin/turnwire-custodian.js'), 'serve', '--port', '0', '--orchestrator-url', to],
      {
        TURNWIRE_PLACEMENT_TOKEN_FILE: this.tokenFile,
      },
    );

  /** Undefined where there is none: in the project's virtual environment (`npm run tools`), or on the PATH. */
  async envoy(to: string): Promise<Subject | undefined> {
    const folders = [path('../../.venv/bin'), ...(process.env.PATH ?? '').split(delimiter)];
    const binary = folders.map((folder) => join(folder, 'envoy')).find((file) => existsSync(file));
    if (binary === undefined) return undefined;
    const port = await freePort();
    const file = join(this.folder, 'envoy.json');
    const listen = { host: '127.0.0.1', port };
    const settings = {
      listen,
      orchestratorUrl: to,
      placement: 'bench',
      tokenFile: this.tokenFile,
      caFile: '/dev/null',
    };
    writeFileSync(file, JSON.stringify(bootstrap(settings)));
    const child = this.#spawn(binary, ['-c', file, ...ENVOY_FLAGS.split(' '), '-l', 'error']);
    const url = `http://127.0.0.1:${port}`;
    while ((await fetch(url).catch(() => undefined)) === undefined) {
      if (child.exitCode !== null) throw new Error(`Envoy ended with ${child.exitCode}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return { name: 'Custodian on Envoy', url, child };
  }

  async #node(name: string, args: readonly string[], env: Record<string, string> = {}): Promise<Subject> {
    const child = this.#spawn(process.execPath, args, env);
    const line = await new Promise<Buffer>((resolve, reject) => {
      child.stdout?.once('data', resolve);
      child.once('exit', (code) => reject(new Error(`${name} ended with ${code} before it listened`)));
    });
    return { name, url: (JSON.parse(line.toString()) as { url: string }).url, child };
  }

  /** What it logs goes through a pipe, as to a container's runtime. */
  #spawn(command: string, args: readonly string[], env: Record<string, string> = {}): ChildProcess {
    const sink = spawn('cat', { stdio: ['pipe', 'ignore', 'ignore'] });
    const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', sink.stdin] });
    sink.stdin.destroy();
    this.#children.push(child, sink);
    return child;
  }

  close(): void {
    for (const child of this.#children) child.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Processor time so far, in milliseconds. */
export function cpuMsOf({ child }: Subject): number {
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Resident memory in bytes. */
export function rssOf({ child }: Subject): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024;
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
