import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { envoyCustodian, envoyProgram } from '../engines/envoy.ts';
import { type LogLine, type Started, type StartOptions, start } from './process.ts';

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
export const BIN = {
  orchestrator: at('orchestrator/bin/turnwire-orchestrator.js'),
  harness: at('harness/bin/turnwire-harness.js'),
  custodian: at('custodian/bin/turnwire-custodian.js'),
  model: at('contract-tests/bin/turnwire-contract.js'),
} as const;

/** What the Custodian runs on: Node, or a real Envoy. */
export type Engine = 'node' | 'envoy';

/** How a Custodian is started on an engine. */
export function custodianOn(engine: Engine): Pick<StartOptions, 'bin' | 'program' | 'args'> {
  if (engine === 'node') return { bin: BIN.custodian, args: ['serve'] };
  const args = ['--custodian', `node ${BIN.custodian}`, '--envoy', envoyProgram() ?? 'envoy'];
  return { program: 'bash', bin: envoyCustodian, args };
}

/** Where a model is: the kit's scripted one, or a real one that the caller's environment names. */
export type ModelEnv = Readonly<Record<string, string>>;

/**
 * The roles of a story, each a real process on a fixed port of this machine, so that a killed one comes back where the
 * others look for it. Tokens and keys are made by the Orchestrator's own command.
 */
export class Cast {
  readonly running = new Map<string, Started>();

  private constructor(
    readonly folder: string,
    readonly ports: Readonly<Record<'orchestrator' | 'harness' | 'custodian', number>>,
    private readonly onLog: (line: LogLine) => void,
    private readonly engine: Engine,
  ) {}

  static async create(folder: string, onLog: (line: LogLine) => void, engine: Engine = 'node'): Promise<Cast> {
    const [orchestrator, harness, custodian] = await freePorts(3);
    return new Cast(folder, { orchestrator, harness, custodian } as Cast['ports'], onLog, engine);
  }

  url(role: keyof Cast['ports']): string {
    return `http://127.0.0.1:${this.ports[role]}`;
  }

  get instanceToken(): string {
    return readFileSync(join(this.folder, 'state/instance.token'), 'utf8').trim();
  }

  get harnessToken(): string {
    return this.token('harness', 'local');
  }

  get database(): string {
    return join(this.folder, 'orchestrator.db');
  }

  model(script: string): Promise<Started> {
    return this.start('model', ['model', '--script', script, '--record', join(this.folder, 'model.jsonl')], {});
  }

  orchestrator(env: Record<string, string> = {}): Promise<Started> {
    return this.start('orchestrator', ['serve'], {
      ...this.orchestratorEnv(),
      TURNWIRE_PORT: String(this.ports.orchestrator),
      TURNWIRE_HARNESS_URL: this.url('harness'),
      TURNWIRE_WORKFLOWS: at('orchestrator/examples'),
      ...env,
    });
  }

  custodian(env: Record<string, string> = {}): Promise<Started> {
    const file = join(this.folder, 'placement.token');
    writeFileSync(file, `${this.token('placement', 'local')}\n`, { mode: 0o600 });
    const settings = {
      TURNWIRE_PORT: String(this.ports.custodian),
      TURNWIRE_ORCHESTRATOR_URL: this.url('orchestrator'),
      TURNWIRE_PLACEMENT_TOKEN_FILE: file,
      ...env,
    };
    return this.play({ role: 'custodian', ...custodianOn(this.engine), env: settings });
  }

  harness(model: ModelEnv, env: Record<string, string> = {}): Promise<Started> {
    return this.start('harness', ['serve'], {
      TURNWIRE_PORT: String(this.ports.harness),
      TURNWIRE_HARNESS_TOKEN_SHA256: this.token('harness', 'local', '--sha256'),
      TURNWIRE_CUSTODIAN_URL: this.url('custodian'),
      TURNWIRE_DATA_DIR: join(this.folder, 'harness'),
      ...model,
      ...env,
    });
  }

  /** Ends everything that still runs; a drain first, so that what is being written is written. */
  async stop(): Promise<Record<string, number | string>> {
    const exits: Record<string, number | string> = {};
    for (const role of ['harness', 'custodian', 'orchestrator', 'model']) {
      const process = this.running.get(role);
      if (process) exits[role] = await process.stop('SIGTERM');
    }
    return exits;
  }

  kill(): void {
    for (const process of this.running.values()) void process.stop('SIGKILL');
  }

  private start(role: keyof typeof BIN, args: readonly string[], env: Record<string, string>): Promise<Started> {
    return this.play({ role, bin: BIN[role], args, env });
  }

  private async play(options: Omit<StartOptions, 'cwd' | 'onLog'>): Promise<Started> {
    const { role } = options;
    const process = await start({ ...options, cwd: this.folder, onLog: this.onLog });
    this.running.set(role, process);
    process.ended.then(() => {
      if (this.running.get(role) === process) this.running.delete(role);
    });
    return process;
  }

  private orchestratorEnv(): Record<string, string> {
    return { TURNWIRE_STATE_DIR: join(this.folder, 'state'), TURNWIRE_DATABASE_URL: `file:${this.database}` };
  }

  private token(...args: string[]): string {
    const env = { ...process.env, ...this.orchestratorEnv() };
    return execFileSync(process.execPath, [BIN.orchestrator, 'token', ...args], { env, encoding: 'utf8' }).trim();
  }
}

/** Ports that were free a moment ago; each is held until all are known, so that they differ. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
