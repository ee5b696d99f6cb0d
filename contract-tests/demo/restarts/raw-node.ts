/** A node of which only what it says is real: it registers and heartbeats as told, and nothing listens at its address. */
import type { Answered } from './calls.ts';
import { Caller } from './calls.ts';
import type { Town } from './town.ts';

export class RawNode {
  readonly instanceId: string;
  readonly #caller: Caller;

  constructor(
    readonly town: Town,
    readonly name: string,
    readonly baseUrl: string,
    readonly deployment: 'resident' | 'serverless' = 'resident',
  ) {
    this.instanceId = `${name}-${process.pid}-${Math.random().toString(36).slice(2)}`;
    this.#caller = new Caller({ url: town.peer.url, token: town.placementToken(name) });
  }

  get target(): string {
    return `${this.name}.worker`;
  }

  register(): Promise<Answered> {
    return this.#caller.ask('PUT', `/nodes/${this.name}`, {
      baseUrl: this.baseUrl,
      instanceId: this.instanceId,
      agents: [{ name: 'worker' }],
      deployment: this.deployment,
      capabilities: { idempotentAdmissions: true, fencedAbort: true, submissionStreams: true },
    });
  }

  heartbeat(lifecycle = 'ready'): Promise<Answered> {
    const { instanceId } = this;
    return this.#caller.ask('POST', `/nodes/${this.name}/heartbeat`, { instanceId, lifecycle });
  }

  async health(): Promise<unknown> {
    return (await this.town.calls.ask('GET', `/nodes/${this.name}`)).body.health;
  }
}
