/** A real Harness process, started from the sources. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { sha256 } from '@turnwire/server';
import { TOKEN } from './harness-fixture.ts';

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url));

export class HarnessProcess {
  stdout = '';
  stderr = '';
  readonly exit: Promise<number | null>;
  readonly #child: ChildProcess;

  constructor(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const { TURNWIRE_HARNESS_TOKEN_SHA256: _, ...inherited } = process.env;
    this.#child = spawn(process.execPath, ['--conditions=turnwire-source', '--import', 'tsx', MAIN, ...args], {
      env: { ...inherited, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child.stdout?.on('data', (data) => {
      this.stdout += data;
    });
    this.#child.stderr?.on('data', (data) => {
      this.stderr += data;
    });
    this.exit = once(this.#child, 'close').then(([code]) => code as number | null);
  }

  /** One that serves, on a free port. */
  static serve(dataDir: string, env: Readonly<Record<string, string>> = {}): HarnessProcess {
    return new HarnessProcess(['serve', '--data-dir', dataDir], {
      TURNWIRE_PORT: '0',
      TURNWIRE_HARNESS_TOKEN_SHA256: sha256(TOKEN),
      ...env,
    });
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** The address, as soon as it listens. */
  get url(): string | undefined {
    const line = this.stdout.split('\n')[0];
    return line && this.stdout.includes('\n') ? (JSON.parse(line) as { url: string }).url : undefined;
  }

  async call(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(`${this.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${TOKEN}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
        ...headers,
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
  }

  /** It admits: what was asked of its folder before is answered. */
  async ready(): Promise<boolean> {
    if (this.url === undefined) return false;
    return (await this.call('GET', '/readyz').catch(() => undefined))?.status === 204;
  }
}
