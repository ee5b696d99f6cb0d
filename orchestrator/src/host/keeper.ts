import type { Effect } from '../run/owed.ts';
import { untraced } from '../tracing.ts';

/** Performs one effect; its results go back as events. Resolves when there is no more to do for it now. */
type Perform = (effect: Effect, signal: AbortSignal) => Promise<void>;

export interface KeeperPorts {
  owed(): readonly Effect[];
  perform: Perform;
  /** Before an effect that came to nothing is tried again. */
  pause(signal: AbortSignal): Promise<void>;
  failed(effect: Effect, error: unknown): void;
}

/** Keeps exactly the effects of one run going that its committed state owes: what is new is started, what is gone is stopped. */
export class Keeper {
  readonly #ports: KeeperPorts;
  readonly #running = new Map<string, AbortController>();
  #stopped = false;

  constructor(ports: KeeperPorts) {
    this.#ports = ports;
  }

  sync(): void {
    const wanted = new Map(this.#stopped ? [] : this.#ports.owed().map((effect) => [effect.id, effect] as const));
    for (const [id, controller] of this.#running) {
      if (wanted.has(id)) continue;
      this.#running.delete(id);
      controller.abort();
    }
    for (const [id, effect] of wanted) if (!this.#running.has(id)) this.#start(id, effect);
  }

  /** A local abandon: what runs elsewhere goes on there (TW-DRN-009). */
  stop(): void {
    this.#stopped = true;
    this.sync();
  }

  #start(id: string, effect: Effect): void {
    const controller = new AbortController();
    this.#running.set(id, controller);
    untraced(() => void this.#run(id, effect, controller));
  }

  async #run(id: string, effect: Effect, controller: AbortController): Promise<void> {
    const { signal } = controller;
    try {
      await this.#ports.perform(effect, signal);
    } catch (error) {
      if (!signal.aborted) this.#ports.failed(effect, error);
    }
    // Still owed: its event was not committed. It is the same work, later.
    if (this.#running.get(id) === controller) await this.#ports.pause(signal);
    if (this.#running.get(id) !== controller) return;
    this.#running.delete(id);
    this.sync();
  }
}
