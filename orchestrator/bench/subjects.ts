/** The processes that are measured, each on a database in a folder of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { instanceToken, placementToken, signingKey } from '../src/tokens.ts';

const path = (name: string) => new URL(name, import.meta.url).pathname;

export class Subject {
  url = '';
  readonly child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.child = child;
  }

  static async start(args: readonly string[], env: Record<string, string> = {}): Promise<Subject> {
    const stdio: ['ignore', 'pipe', 'inherit'] = ['ignore', 'pipe', 'inherit'];
    const child = spawn(process.execPath, [...(process.env.BENCH_NODE_FLAGS?.split(' ') ?? []), ...args], {
      env: { ...process.env, ...env },
      stdio,
    });
    const subject = new Subject(child);
    const [line] = await new Promise<[Buffer]>((resolve, reject) => {
      child.stdout.once('data', (data: Buffer) => resolve([data]));
      child.once('exit', (code) => reject(new Error(`it ended with ${code} before it listened`)));
    });
    subject.url = (JSON.parse(line.toString()) as { url: string }).url;
    return subject;
  }

  /** Resident memory in bytes. */
  get rss(): number {
    const status = readFileSync(`/proc/${this.child.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024;
  }

  /** Processor time so far, in milliseconds. */
  get cpuMs(): number {
    const fields = readFileSync(`/proc/${this.child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) * 10;
  }

  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const gone = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGKILL');
    await gone;
  }
}

export const newFolder = (): string => mkdtempSync(join(tmpdir(), 'turnwire-bench-'));
export const removeFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true });

export const startBare = (folder: string, mode: 'one' | 'group'): Promise<Subject> =>
  Subject.start(['--import', 'tsx', path('bare.ts'), join(folder, `${mode}.db`), mode]);

export function tokensIn(folder: string): { instance: string; placement: string } {
  const state = join(folder, 'state');
  return { instance: instanceToken(state), placement: placementToken(signingKey(state), 'local') };
}

export const startOrchestrator = (folder: string, harnessUrl: string): Promise<Subject> =>
  Subject.start([path('../bin/turnwire-orchestrator.js'), 'serve'], {
    TURNWIRE_PORT: '0',
    TURNWIRE_WORKFLOWS: path('workflows/'),
    TURNWIRE_DATABASE_URL: `file:${join(folder, 'orchestrator.db')}`,
    TURNWIRE_STATE_DIR: join(folder, 'state'),
    TURNWIRE_HARNESS_URL: harnessUrl,
    TURNWIRE_LOG_LEVEL: 'error',
  });

/** Resolves when it serves. */
export async function ready(subject: Subject): Promise<void> {
  for (;;) {
    const answer = await fetch(`${subject.url}/readyz`).catch(() => undefined);
    if (answer?.status === 204) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
