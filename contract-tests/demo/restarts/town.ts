/** An Orchestrator, a model, and nodes that come and go: each a real process. */
import { createHash, createHmac } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BIN, custodianOn, type Engine, freePorts } from '../cast.ts';
import { type LogLine, type Started, start } from '../process.ts';
import type { Peer } from '../wire.ts';
import { Caller } from './calls.ts';
import { News } from './news.ts';
import { NodePlace } from './node-place.ts';

const SCRIPT = fileURLToPath(new URL('./model.json', import.meta.url));

export interface TownOptions {
  readonly folder: string;
  readonly onLog: (line: LogLine) => void;
  /** What the Custodians run on. */
  readonly engine: Engine;
  /** A town whose model is asked here as well. */
  readonly beside?: Town;
}

export class Town {
  readonly running = new Set<Started>();
  readonly calls: Caller;
  readonly news: News;
  #orchestrator: Started | undefined;

  private constructor(
    readonly options: TownOptions,
    readonly peer: Peer,
    readonly modelUrl: string,
    readonly port: number,
  ) {
    this.calls = new Caller(peer);
    this.news = new News(peer);
  }

  static async build(options: TownOptions): Promise<Town> {
    const [port = 0] = await freePorts(1);
    mkdirSync(join(options.folder, 'workflows'), { recursive: true });
    const early = new Set<Started>();
    const orchestrator = await startOrchestrator(options, port);
    early.add(orchestrator);
    const token = readFileSync(join(options.folder, 'state/instance.token'), 'utf8').trim();
    const model = options.beside ? undefined : await startModel(options);
    if (model) early.add(model);
    const peer = { url: orchestrator.url, token };
    const town = new Town(options, peer, options.beside?.modelUrl ?? String(model?.url), port);
    town.#orchestrator = orchestrator;
    for (const process of early) town.keep(process);
    return town;
  }

  /** SIGKILL, and the same again on the same database. */
  async replaceOrchestrator(): Promise<void> {
    await this.#orchestrator?.stop('SIGKILL');
    this.#orchestrator = await startOrchestrator(this.options, this.port);
    this.keep(this.#orchestrator);
  }

  /** The Custodian of a placement, and where its Harness would be. */
  async node(name: string): Promise<NodePlace> {
    const file = join(this.options.folder, `${name}.token`);
    writeFileSync(file, `${this.placementToken(name)}\n`, { mode: 0o600 });
    const custodian = await start({
      role: `custodian of ${name}`,
      ...custodianOn(this.options.engine),
      env: { TURNWIRE_PORT: '0', TURNWIRE_ORCHESTRATOR_URL: this.peer.url, TURNWIRE_PLACEMENT_TOKEN_FILE: file },
      cwd: this.options.folder,
      onLog: this.options.onLog,
    });
    this.keep(custodian);
    return new NodePlace(this, name, custodian.url);
  }

  placementToken(name: string): string {
    return `${name}.${this.#hmac(name)}`;
  }

  harnessToken(name: string): string {
    return this.#hmac(`harness:${name}`);
  }

  harnessDigest(name: string): string {
    return createHash('sha256').update(this.harnessToken(name)).digest('base64url');
  }

  /** How often the model was asked to work on this. */
  asked(marker: string): number {
    const mark = new RegExp(`${marker}(?![0-9])`);
    const { folder } = this.options.beside?.options ?? this.options;
    return readRequests(folder).filter((line) => mark.test(line)).length;
  }

  keep(process: Started): Started {
    this.running.add(process);
    void process.ended.then(() => this.running.delete(process));
    return process;
  }

  async metrics(): Promise<Map<string, number>> {
    const text = await (await fetch(`${this.peer.url}/metrics`)).text();
    const series = text.split('\n').flatMap((line) => {
      const [, name, value] = /^(turnwire_\w+) (\S+)$/.exec(line) ?? [];
      return name ? [[name, Number(value)] as const] : [];
    });
    return new Map(series);
  }

  async stop(): Promise<void> {
    this.news.close();
    await Promise.all([...this.running].map((process) => process.stop('SIGTERM')));
  }

  kill(): void {
    this.news.close();
    for (const process of this.running) void process.stop('SIGKILL');
  }

  /** TW-TOK-005: what the Orchestrator derives as well. */
  #hmac(text: string): string {
    const key = readFileSync(join(this.options.folder, 'state/signing.key'), 'utf8').replace(/\n$/, '');
    return createHmac('sha256', key).update(text).digest('base64url');
  }
}

const startOrchestrator = ({ folder, onLog }: TownOptions, port: number): Promise<Started> =>
  start({
    role: 'orchestrator',
    bin: BIN.orchestrator,
    args: ['serve'],
    env: {
      TURNWIRE_PORT: String(port),
      TURNWIRE_STATE_DIR: join(folder, 'state'),
      TURNWIRE_DATABASE_URL: `file:${join(folder, 'orchestrator.db')}`,
      TURNWIRE_WORKFLOWS: join(folder, 'workflows'),
    },
    cwd: folder,
    onLog,
  });

const startModel = ({ folder, onLog }: TownOptions): Promise<Started> =>
  start({
    role: 'model',
    bin: BIN.model,
    args: ['model', '--script', SCRIPT, '--record', join(folder, 'model.jsonl')],
    env: {},
    cwd: folder,
    onLog,
  });

function readRequests(folder: string): string[] {
  const file = join(folder, 'model.jsonl');
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
}
