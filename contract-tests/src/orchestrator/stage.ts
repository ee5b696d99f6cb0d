/** What stands around the subject: its files, its tokens, the kit's Harness. One for each process of a subject. */
import { createHmac, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SubjectProcess } from '../harness/subject.ts';
import { Running } from '../run/process.ts';
import { nonce } from '../run/reach.ts';
import type { Book } from './book.ts';
import { HarnessDouble } from './harness-double.ts';
import { statecharts } from './load.ts';

/** Milliseconds that a case waits. */
export interface Waits {
  /** For any answer; a poll is parked for 25 s. */
  readonly answerMs: number;
  /** For things that are not about time. */
  readonly patienceMs: number;
  /** Until a subject that asks its Harness what it is has done so. */
  readonly meetingMs: number;
}

const usualWaits: Waits = { answerMs: 35_000, patienceMs: 15_000, meetingMs: 2_000 };

export interface Tokens {
  readonly instance: string;
  /** Of the placement `local`, and of another one. */
  readonly placement: string;
  readonly other: string;
  /** What the subject presents to the kit's Harness. */
  readonly harness: string;
}

/** Derived from the signing key, as the wire has it. */
export function derived(key: string) {
  const mac = (text: string) => createHmac('sha256', key).update(text).digest('base64url');
  return { placement: (name: string) => `${name}.${mac(name)}`, harness: (name: string) => mac(`harness:${name}`) };
}

export function tokensOf(key: string, instance: string): Tokens {
  const { placement, harness } = derived(key);
  return { instance, placement: placement('local'), other: placement('elsewhere'), harness: harness('local') };
}

/** The subject as a case sees it. */
export interface Host extends Waits {
  readonly url: string;
  readonly tokens: Tokens;
  readonly harness: HarnessDouble;
  readonly signingKey: string;
  readonly book: Book;
  /** In front of the names that the kit gives there; empty when the subject is new. */
  readonly nonce: string;
  /** What it wrote to standard output and error, all of its processes. */
  readonly written: string;
  readonly process?: ProcessHost;
  close(): Promise<void>;
}

export interface UrlOptions {
  readonly url: string;
  readonly instanceToken: string;
  readonly signingKey: string;
  /** Where the kit's Harness listens: the subject's TURNWIRE_HARNESS_URL. */
  readonly harnessPort: number;
}

/** One that is already running somewhere. */
export async function urlHost({ url, instanceToken, signingKey, harnessPort }: UrlOptions): Promise<Host> {
  const tokens = tokensOf(signingKey, instanceToken);
  const harness = new HarnessDouble(tokens.harness);
  await harness.start(harnessPort);
  const { book } = harness;
  const close = () => harness.stop();
  return { ...usualWaits, url, tokens, harness, signingKey, book, nonce: nonce(), written: '', close };
}

/** One that the kit starts, on a folder that it removes at the end. */
export class ProcessHost extends Running implements Host {
  readonly folder = mkdtempSync(join(tmpdir(), 'turnwire-contract-'));
  readonly signingKey = randomBytes(32).toString('base64url');
  readonly tokens = tokensOf(this.signingKey, randomBytes(32).toString('base64url'));
  readonly harness = new HarnessDouble(this.tokens.harness);
  readonly book = this.harness.book;
  readonly nonce = '';
  /** When the process of now said that it listens, in milliseconds since the epoch. */
  listeningAt = 0;

  readonly answerMs: number;
  readonly patienceMs: number;
  readonly meetingMs: number;

  constructor(command: string, timeoutMs: number, waits: Partial<Waits> = {}) {
    super(command, timeoutMs);
    const { answerMs, patienceMs, meetingMs } = { ...usualWaits, ...waits };
    this.answerMs = answerMs;
    this.patienceMs = patienceMs;
    this.meetingMs = meetingMs;
    mkdirSync(join(this.folder, 'state'), { mode: 0o700 });
    writeFileSync(join(this.folder, 'state', 'signing.key'), `${this.signingKey}\n`, { mode: 0o600 });
    writeFileSync(join(this.folder, 'state', 'instance.token'), `${this.tokens.instance}\n`, { mode: 0o600 });
  }

  readonly process = this;

  /** A process on the folder, at the address of the one before it if there was one. @throws SubjectError */
  override async start(settings: Readonly<Record<string, string>> = {}): Promise<void> {
    if (this.harness.url === '') await this.harness.start();
    await super.start({ ...this.#env(this.port), ...settings });
    this.listeningAt = Date.now();
    // It may learn of its Harness in the background. A case that is not about first contact begins after that.
    const deadline = performance.now() + this.meetingMs;
    while (this.harness.introduced === 0 && !this.harness.mute && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** Another process on the same files, at a port of its own. @throws SubjectError */
  beside(): Promise<SubjectProcess> {
    return SubjectProcess.start(this.command, this.#env('0'), this.timeoutMs);
  }

  #env(port: string): Record<string, string> {
    return {
      TURNWIRE_HOST: '127.0.0.1',
      TURNWIRE_PORT: port,
      TURNWIRE_WORKFLOWS: statecharts,
      TURNWIRE_DATABASE_URL: `file:${join(this.folder, 'orchestrator.db')}`,
      TURNWIRE_STATE_DIR: join(this.folder, 'state'),
      TURNWIRE_HARNESS_URL: this.harness.url,
      TURNWIRE_PLACEMENT: 'local',
    };
  }

  async close(): Promise<void> {
    await this.kill();
    await this.harness.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
