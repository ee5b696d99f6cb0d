/** Where a node runs: its Custodian stays, its Harness comes and goes, at another port and as another instance each time. */
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BIN } from '../cast.ts';
import { type Started, start } from '../process.ts';
import type { Answered, CallOptions } from './calls.ts';
import type { Town } from './town.ts';

export interface NodeView {
  readonly health: string;
  readonly lifecycle: string;
  readonly baseUrl: string;
  readonly instanceId: string;
}

export interface UpOptions {
  /** A data folder other than the one before: what ran there is not known here. */
  readonly data?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Do not wait until the Orchestrator holds it to be healthy. */
  readonly unheard?: boolean;
}

export class NodePlace {
  harness: Started | undefined;

  constructor(
    readonly town: Town,
    readonly name: string,
    readonly custodianUrl: string,
  ) {}

  get target(): string {
    return `${this.name}.worker`;
  }

  get agentsFile(): string {
    return join(this.town.options.folder, `${this.name}.json`);
  }

  /** As an editor saves: a new file in the place of the old one. */
  save(instructions: string): void {
    const output = { type: 'object', required: ['echo'], properties: { echo: { type: 'string' } } };
    const agents = { worker: { model: 'openai-compatible/worker', instructions, description: 'Works.', output } };
    writeFileSync(`${this.agentsFile}.new`, JSON.stringify({ agents }));
    renameSync(`${this.agentsFile}.new`, this.agentsFile);
  }

  /** Starts its Harness on a free port. */
  async up(options: UpOptions = {}): Promise<Started> {
    this.save('Answer.');
    const harness = await this.spawn('serve', {
      TURNWIRE_AGENTS_FILE: this.agentsFile,
      TURNWIRE_NODE_ID: this.name,
      TURNWIRE_DATA_DIR: join(this.town.options.folder, options.data ?? this.name),
      ...options.env,
    });
    this.harness = harness;
    if (options.unheard) return harness;
    const baseUrl = options.env?.TURNWIRE_PUBLIC_URL ?? harness.url;
    await this.until((view) => view.baseUrl === baseUrl && view.health === 'healthy' && view.lifecycle === 'ready');
    return harness;
  }

  /** It serves, and the Orchestrator knows: by what came before, or from now on. */
  async isUp(): Promise<void> {
    const running = this.harness !== undefined && this.town.running.has(this.harness);
    if (!running) await this.up();
  }

  spawn(verb: string, env: Record<string, string>, ...args: string[]): Promise<Started> {
    const { town, name } = this;
    const starting = start({
      role: `harness of ${name}`,
      bin: BIN.harness,
      args: [verb, ...args],
      env: {
        TURNWIRE_PORT: '0',
        TURNWIRE_HARNESS_TOKEN_SHA256: town.harnessDigest(name),
        TURNWIRE_CUSTODIAN_URL: this.custodianUrl,
        TURNWIRE_LINGER: '1',
        OPENAI_BASE_URL: `${town.modelUrl}/v1`,
        OPENAI_API_KEY: 'none',
        ...env,
      },
      cwd: town.options.folder,
      onLog: town.options.onLog,
    });
    return starting.then((started) => town.keep(started));
  }

  async kill(): Promise<void> {
    await this.harness?.stop('SIGKILL');
  }

  async view(): Promise<NodeView | undefined> {
    const { status, body } = await this.town.calls.ask('GET', `/nodes/${this.name}`);
    return status === 200 ? (body as unknown as NodeView) : undefined;
  }

  /** Waits until the Orchestrator says so of it. */
  async until(holds: (view: NodeView) => boolean, withinMs = 60_000): Promise<NodeView> {
    const deadline = Date.now() + withinMs;
    for (;;) {
      const view = await this.view();
      if (view && holds(view)) return view;
      if (Date.now() > deadline) throw new Error(`the node ${this.name} stays ${JSON.stringify(view)}`);
      await sleep(50);
    }
  }

  call(options: CallOptions): Promise<Answered> {
    return this.town.calls.call(this.target, options);
  }

  /** What the Harness that runs here now knows of a conversation: the status of its history. */
  async knows(iid: string): Promise<number> {
    const url = `${this.harness?.url}/agents/worker/${iid}?view=history`;
    const headers = { authorization: `Bearer ${this.town.harnessToken(this.name)}` };
    return (await fetch(url, { headers })).status;
  }
}
