/** The health checker: probes each resident node, and looks at its lease when that may be over. Decides nothing itself. */
import { protocol } from '@turnwire/sdk';
import { type HostClock, sleepUntil } from '../host/clock.ts';
import { LATE_LOOK_MS, NODE_HEARING_MS, PROBES_AT_ONCE } from '../limits.ts';
import type { NodeRecord } from './port.ts';
import type { LiveNodes } from './registry.ts';

const { probeEveryMs } = protocol.constants;

export interface CheckerOptions {
  nodes: LiveNodes;
  clock: HostClock;
  /** Uniform in [0, 1). */
  random: () => number;
  /** One question, `true` when the answer is good; never rejects, and ends with the signal. */
  probe: (node: NodeRecord, signal: AbortSignal) => Promise<boolean>;
  /** A look that could not be written is made again at the next one. */
  failed: (error: unknown) => void;
}

export class HealthChecker {
  readonly #options: CheckerOptions;
  /** By node, for as long as it is the same process at the same address. */
  readonly #watched = new Map<string, { process: string; ended: AbortController }>();
  readonly #forget: () => void;
  #free = PROBES_AT_ONCE;
  readonly #waiting: (() => void)[] = [];

  constructor(options: CheckerOptions) {
    this.#options = options;
    this.#forget = options.nodes.onChange((nodeId) => this.#sync(nodeId, 0));
    // After a start they are many, and none of them is new.
    for (const { nodeId } of options.nodes.list()) this.#sync(nodeId, options.random() * probeEveryMs);
  }

  stop(): void {
    this.#forget();
    for (const { ended } of this.#watched.values()) ended.abort();
    this.#watched.clear();
  }

  #sync(nodeId: string, firstAfterMs: number): void {
    const record = this.#options.nodes.get(nodeId);
    const process = record?.deployment === 'resident' ? `${record.instanceId} ${record.baseUrl}` : undefined;
    const watched = this.#watched.get(nodeId);
    if (watched?.process === process) return;
    watched?.ended.abort();
    this.#watched.delete(nodeId);
    if (process === undefined) return;
    const ended = new AbortController();
    this.#watched.set(nodeId, { process, ended });
    void this.#keepProbing(nodeId, firstAfterMs, ended.signal);
    void this.#keepLease(nodeId, ended.signal);
  }

  /** Of one node one probe at a time, and each node for itself (TW-NOD-016). */
  async #keepProbing(nodeId: string, firstAfterMs: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    let at = clock.now() + firstAfterMs;
    for (;;) {
      await sleepUntil(clock, at, signal);
      if (signal.aborted) return;
      await this.#probe(nodeId, signal);
      at = Math.max(at + probeEveryMs, clock.now());
    }
  }

  async #probe(nodeId: string, signal: AbortSignal): Promise<void> {
    const { nodes, clock, probe, failed } = this.#options;
    await this.#take();
    try {
      const record = nodes.get(nodeId);
      if (!record || signal.aborted) return;
      const { instanceId, moves } = record;
      const at = clock.now();
      const isGood = await probe(record, signal);
      if (!signal.aborted) await nodes.probed(nodeId, { isGood, seen: { instanceId, moves }, at });
    } catch (error) {
      if (!signal.aborted) failed(error);
    } finally {
      this.#give();
    }
  }

  /** The record says when it is over, so that this holds across a restart. */
  async #keepLease(nodeId: string, signal: AbortSignal): Promise<void> {
    const { nodes, clock, failed } = this.#options;
    while (!signal.aborted) {
      const end = nodes.leaseEnd(nodeId) ?? Number.POSITIVE_INFINITY;
      // One that is over was looked at: there is nothing to see again before it is heard.
      const at = end > clock.now() ? end : clock.now() + probeEveryMs;
      await sleepUntil(clock, at, signal);
      // This machine was asleep, and could not hear it (TW-NOD-021).
      if (clock.now() > at + LATE_LOOK_MS) await clock.sleep(NODE_HEARING_MS, signal);
      if (signal.aborted) return;
      await nodes.lookAtLease(nodeId).catch((error: unknown) => {
        if (!signal.aborted) failed(error);
      });
    }
  }

  async #take(): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #give(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free += 1;
  }
}
