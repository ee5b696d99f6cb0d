/** The kit as a node: a Harness that comes and goes, each time as another process at another address. */
import { randomUUID } from 'node:crypto';
import type { Book } from './book.ts';
import { HarnessDouble } from './harness-double.ts';
import { derived } from './stage.ts';

const beatMs = 500;

export class NodeDouble {
  readonly harness: HarnessDouble;
  /** Of its placement: what its Custodian presents. */
  readonly token: string;
  instanceId = '';
  #beats: NodeJS.Timeout | undefined;

  constructor(
    readonly nodeId: string,
    signingKey: string,
    book: Book,
  ) {
    const tokens = derived(signingKey);
    this.token = tokens.placement(nodeId);
    this.harness = new HarnessDouble(tokens.harness(nodeId), book, nodeId);
  }

  /** A process of its own, at an address that it did not have before. */
  async up(listens: boolean): Promise<void> {
    await this.down();
    this.instanceId = `instance-${randomUUID()}`;
    await this.harness.start(0);
    if (!listens) await this.harness.stop();
  }

  /** As a crash does it: its port refuses, and it says nothing more. */
  async down(): Promise<void> {
    clearInterval(this.#beats);
    await this.harness.stop();
  }

  beat(heartbeat: () => Promise<unknown>): void {
    clearInterval(this.#beats);
    this.#beats = setInterval(() => heartbeat().catch(() => undefined), beatMs);
  }
}
