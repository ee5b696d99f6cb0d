/** What stands around the subject: its token file, the kit's Orchestrator, and the address where it looks for it. */
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FullQueue, fullQueue } from '../faults/full-queue.ts';
import { Running } from '../run/process.ts';
import type { Place, TokenFile } from './case.ts';
import { Upstream } from './upstream.ts';

/** The placement of the kit. */
export const placement = 'local';

/** Milliseconds that any answer may take; a poll is parked for 25 s, and its caller waits 10 s more. */
export const usualAnswerMs = 36_000;

const newToken = () => `${placement}.${randomBytes(32).toString('base64url')}`;

/** The subject as a case sees it. */
export interface Host {
  readonly url: string;
  /** What it puts in the Stand-in's place. */
  readonly token: string;
  readonly placement: string;
  /** Every token that it ever held: none of them may show. */
  readonly secrets: readonly string[];
  readonly upstream: Upstream;
  /** What it wrote to standard output and error, all of its processes. */
  readonly written: string;
  readonly process?: ProcessHost;
  readonly answerMs: number;
  close(): Promise<void>;
}

export interface UrlOptions {
  readonly url: string;
  readonly token: string;
  /** Where the kit's Orchestrator listens: the subject's TURNWIRE_ORCHESTRATOR_URL. */
  readonly orchestratorPort: number;
}

/** One that is already running somewhere. */
export async function urlHost({ url, token, orchestratorPort }: UrlOptions): Promise<Host> {
  const upstream = new Upstream();
  await upstream.start(orchestratorPort);
  const [name = ''] = token.split('.', 1);
  const answerMs = usualAnswerMs;
  return {
    url,
    token,
    answerMs,
    placement: name,
    secrets: [token],
    upstream,
    written: '',
    close: () => upstream.close(),
  };
}

/** One that the kit starts, on a folder that it removes at the end. */
export class ProcessHost implements Host {
  readonly #folder = mkdtempSync(join(tmpdir(), 'turnwire-contract-'));
  readonly running: Running;
  readonly upstream: Upstream;
  readonly placement = placement;
  readonly secrets: string[] = [newToken()];
  readonly process = this;
  #queue: FullQueue | undefined;

  constructor(
    command: string,
    timeoutMs: number,
    readonly place: Place = 'orchestrator',
    readonly answerMs = usualAnswerMs,
  ) {
    this.running = new Running(command, timeoutMs);
    if (place === 'resets_connections') this.upstream = new Upstream({ spoils: 'on_connect' });
    else if (place === 'breaks_tls') this.upstream = new Upstream({ spoils: 'at_first_bytes' });
    else this.upstream = new Upstream();
    this.put({ text: 'held' });
  }

  get url(): string {
    return this.running.url;
  }

  get written(): string {
    return this.running.written;
  }

  get token(): string {
    return this.secrets.at(-1) ?? '';
  }

  get tokenFile(): string {
    return join(this.#folder, 'placement.token');
  }

  async open(): Promise<void> {
    await this.upstream.start();
    if (this.place === 'refused') await this.upstream.refuse();
    if (this.place === 'full_queue') this.#queue = await fullQueue('127.0.0.1', 0);
  }

  /** Writes the token file as a case has it. */
  put({ text = 'held', mode = '600', how = 'rename' }: TokenFile): void {
    if (how === 'remove') {
      rmSync(this.tokenFile, { force: true });
      return;
    }
    if (text.includes('next')) this.secrets.push(newToken());
    const contents = text.replace('held', this.token).replace('next', this.token);
    const file = how === 'rename' ? `${this.tokenFile}.new` : this.tokenFile;
    writeFileSync(file, contents);
    chmodSync(file, Number.parseInt(mode, 8));
    if (how === 'rename') renameSync(file, this.tokenFile);
  }

  /** A process at the address of the one before it if there was one. @throws SubjectError */
  async start(settings: Readonly<Record<string, string>> = {}): Promise<void> {
    const all = { ...this.#env(), ...settings };
    // An empty one is none: the subject's own default is what is meant.
    await this.running.start(Object.fromEntries(Object.entries(all).filter(([, value]) => value !== '')));
  }

  #env(): Record<string, string> {
    return {
      TURNWIRE_HOST: '127.0.0.1',
      TURNWIRE_PORT: this.running.port,
      TURNWIRE_ORCHESTRATOR_URL: this.#orchestratorUrl(),
      TURNWIRE_PLACEMENT_TOKEN_FILE: this.tokenFile,
    };
  }

  #orchestratorUrl(): string {
    if (this.place === 'unknown_name') return 'http://orchestrator.invalid:4000';
    if (this.#queue) return `http://127.0.0.1:${this.#queue.port}`;
    return `${this.place === 'breaks_tls' ? 'https' : 'http'}://${this.upstream.address}`;
  }

  async close(): Promise<void> {
    await this.running.kill();
    await this.upstream.close();
    await this.#queue?.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
