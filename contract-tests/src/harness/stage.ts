/** What stands around the subject: the kit's Orchestrator and model, and the subject with its data folder. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ModelDouble } from '../doubles/model.ts';
import { OrchestratorDouble } from '../doubles/orchestrator.ts';
import { Running } from '../run/process.ts';
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
  env(dataDir: string, port: string): Record<string, string> {
    return {
      TURNWIRE_HOST: '127.0.0.1',
      TURNWIRE_PORT: port,
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
export class ProcessHost extends Running implements Host {
  readonly #folder = mkdtempSync(join(tmpdir(), 'turnwire-contract-'));

  constructor(
    readonly stage: Stage,
    command: string,
    timeoutMs: number,
  ) {
    super(command, timeoutMs);
  }

  readonly process = this;

  get dataDir(): string {
    return join(this.#folder, 'data');
  }

  /** Another process at a port of its own, on the same folder unless the settings say otherwise. @throws SubjectError */
  beside(settings: Readonly<Record<string, string>> = {}): Promise<SubjectProcess> {
    const env = { ...this.stage.env(this.dataDir, '0'), ...settings };
    return SubjectProcess.start(this.command, env, this.timeoutMs);
  }

  /** A process on the folder, at the address of the one before it if there was one. @throws SubjectError */
  override start(settings: Readonly<Record<string, string>> = {}): Promise<void> {
    return super.start({ ...this.stage.env(this.dataDir, this.port), ...settings });
  }

  wipe(): void {
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  async close(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
