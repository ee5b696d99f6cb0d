/** What stands around the subject: the kit's Orchestrator and model, and the subject with its data folder. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ModelDouble } from '../doubles/model.ts';
import { OrchestratorDouble } from '../doubles/orchestrator.ts';
import { SubjectProcess } from './subject.ts';

/** Where the kit's own servers listen; with a subject that is already running they cannot be chosen freely. */
export interface StageOptions {
  readonly orchestratorPort?: number;
  readonly modelPort?: number;
  /** The subject follows a script in the message in the place of a model (`contract-agent.ts`). */
  readonly contractAgent?: boolean;
  /** The harness token; a random one when absent. */
  readonly token?: string;
  /** Milliseconds that any answer may take; the usual bound lets a long-poll be parked for 25 s. */
  readonly answerMs?: number;
}

const usualAnswerMs = 35_000;

/** The kit's side, once for a run. */
export class Stage {
  readonly orchestrator = new OrchestratorDouble();
  readonly model = new ModelDouble();
  readonly token: string;
  /** The key that the model takes: a secret that must show nowhere. */
  readonly modelKey = `sk-${randomBytes(18).toString('base64url')}`;
  custodianUrl = '';
  modelUrl = '';

  readonly answerMs: number;

  constructor(readonly options: StageOptions = {}) {
    this.answerMs = options.answerMs ?? usualAnswerMs;
    this.token = options.token ?? randomBytes(32).toString('base64url');
  }

  async open(): Promise<void> {
    this.custodianUrl = await this.orchestrator.start(this.options.orchestratorPort);
    this.modelUrl = await this.model.start(this.options.modelPort);
  }

  async close(): Promise<void> {
    this.orchestrator.close();
    await this.model.close();
  }

  /** The environment of the wire, for one data folder. */
  env(dataDir: string, port: number): Record<string, string> {
    return {
      TURNWIRE_HOST: '127.0.0.1',
      TURNWIRE_PORT: String(port),
      TURNWIRE_HARNESS_TOKEN_SHA256: createHash('sha256').update(this.token).digest('base64url'),
      TURNWIRE_CUSTODIAN_URL: this.custodianUrl,
      TURNWIRE_PLACEMENT_TOKEN: 'turnwire-held-TURNWIRE_PLACEMENT_TOKEN',
      TURNWIRE_DATA_DIR: dataDir,
      OPENAI_API_KEY: this.modelKey,
      OPENAI_BASE_URL: this.modelUrl,
    };
  }
}

/** The subject as a case sees it. */
export interface Host {
  readonly url: string;
  /** What it wrote to standard output and error, all of its processes. */
  readonly written: string;
  readonly process?: ProcessHost;
}

/** One that is already running somewhere. */
export const urlHost = (url: string): Host => ({ url, written: '' });

/** One that the kit starts, on a folder that it removes at the end. */
export class ProcessHost implements Host {
  readonly #folder = mkdtempSync(join(tmpdir(), 'turnwire-contract-'));
  #subject: SubjectProcess | undefined;
  #before = '';

  constructor(
    readonly stage: Stage,
    readonly command: string,
    readonly timeoutMs: number,
  ) {}

  readonly process = this;

  get dataDir(): string {
    return join(this.#folder, 'data');
  }

  get url(): string {
    return this.#subject?.url ?? '';
  }

  get written(): string {
    return this.#before + (this.#subject?.stdout ?? '') + (this.#subject?.log ?? '');
  }

  get log(): string {
    return this.#subject?.log ?? '';
  }

  get stdout(): string {
    return this.#subject?.stdout ?? '';
  }

  get alive(): boolean {
    return this.#subject?.alive === true;
  }

  /** Another process at a port of its own, on the same folder unless the settings say otherwise. @throws SubjectError */
  beside(settings: Readonly<Record<string, string>> = {}): Promise<SubjectProcess> {
    const env = { ...this.stage.env(this.dataDir, 0), ...settings };
    return SubjectProcess.start(this.command, env, this.timeoutMs);
  }

  /** A process on the folder, at the address of the one before it if there was one. @throws SubjectError */
  async start(settings: Readonly<Record<string, string>> = {}): Promise<void> {
    const port = this.#subject ? Number(new URL(this.#subject.url).port) : 0;
    this.#before = this.written;
    const env = { ...this.stage.env(this.dataDir, port), ...settings };
    this.#subject = await SubjectProcess.start(this.command, env, this.timeoutMs);
  }

  signal(name: 'SIGTERM'): void {
    this.#subject?.signal(name);
  }

  async kill(): Promise<void> {
    await this.#subject?.kill();
  }

  /** Its exit code, or `late` when it does not end in time. */
  async exit(timeoutMs: number): Promise<number | null | 'late'> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), timeoutMs);
    });
    const code = await Promise.race([this.#subject?.exited ?? Promise.resolve(null), late]);
    clearTimeout(timer);
    return code;
  }

  wipe(): void {
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  async close(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
