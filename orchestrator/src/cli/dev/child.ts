/** One process of `turnwire dev`: started apart, listened to, drained, and killed when it does not go. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { CHILD_START_MS, CHILD_STOP_MS } from '../../limits.ts';
import { CliError } from '../exit.ts';
import { leash } from './leash.ts';

export interface ChildSpec {
  readonly name: string;
  readonly script: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** What it removes in our place when this process is killed. */
  readonly addressFile?: string;
  /** Each line that it logs on stderr. */
  readonly onLine: (name: string, line: string) => void;
  readonly startMs?: number;
  readonly stopMs?: number;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export class Child {
  readonly name: string;
  readonly exited: Promise<Exit>;
  readonly #process: ChildProcess;
  readonly #listening: Promise<string>;
  readonly #stopMs: number;
  #ended: Exit | undefined;
  #lastLine = '';

  constructor(spec: ChildSpec) {
    this.name = spec.name;
    this.#stopMs = spec.stopMs ?? CHILD_STOP_MS;
    const held = leash(spec.addressFile);
    // A group of its own: Ctrl-C at the terminal reaches `turnwire dev` alone, which then stops them in order.
    const child = spawn(process.execPath, [...held.execArgv, spec.script, ...spec.args], {
      env: { ...spec.env, ...held.env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      detached: true,
    });
    this.#process = child;
    this.exited = new Promise((resolve) => {
      child.once('error', (error) => {
        this.#lastLine = error.message;
        resolve({ code: null, signal: null });
      });
      child.once('close', (code, signal) => resolve({ code, signal }));
    });
    void this.exited.then((exit) => {
      this.#ended = exit;
    });
    createInterface({ input: child.stderr as NodeJS.ReadableStream }).on('line', (line) => {
      this.#lastLine = line;
      spec.onLine(this.name, line);
    });
    this.#listening = this.#waitForLine(spec.startMs ?? CHILD_START_MS);
    this.#listening.catch(() => undefined);
  }

  /** The URL of its listening line. @throws CliError when it ends first, or says nothing in time */
  listening(): Promise<string> {
    return this.#listening;
  }

  get running(): boolean {
    return this.#ended === undefined;
  }

  /** Drains it; kills it when it takes too long. */
  async stop(): Promise<void> {
    if (!this.running) return;
    this.#process.kill('SIGTERM');
    const late = setTimeout(() => this.kill(), this.#stopMs);
    await this.exited;
    clearTimeout(late);
  }

  kill(): void {
    this.#process.kill('SIGKILL');
  }

  async #waitForLine(startMs: number): Promise<string> {
    const said = new Promise<string>((resolve) => {
      createInterface({ input: this.#process.stdout as NodeJS.ReadableStream }).on('line', (line) => {
        const url = urlOf(line);
        if (url) resolve(url);
      });
    });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(
        () => reject(new CliError(`${this.name} did not listen within ${startMs / 1_000} s`)),
        startMs,
      );
    });
    const gone = this.exited.then((exit) => {
      throw new CliError(`${this.name} did not start (${exitText(exit)}): ${this.#lastLine || 'it said nothing'}`);
    });
    try {
      return await Promise.race([said, gone, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

export const exitText = ({ code, signal }: Exit): string =>
  signal ? signal : code === null ? 'not run' : `exit ${code}`;

function urlOf(line: string): string | undefined {
  try {
    const { event, url } = JSON.parse(line) as { event?: unknown; url?: unknown };
    return event === 'listening' && typeof url === 'string' ? url : undefined;
  } catch {
    return undefined;
  }
}
