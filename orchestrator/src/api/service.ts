import { Problem } from '@turnwire/server';
import type { RunHost } from '../host/port.ts';
import { RETRY_AFTER_SECONDS } from '../limits.ts';

export type Phase = 'starting' | 'serving' | 'stopping';

/** Where the process stands: it waits for its database, it serves, or it stops. Decides who gets to the host at all. */
export class Service {
  #host: RunHost | undefined;
  readonly #stopping = new AbortController();
  readonly #waiting = new Set<AbortController>();

  get phase(): Phase {
    if (this.#stopping.signal.aborted) return 'stopping';
    return this.#host ? 'serving' : 'starting';
  }

  /** Fires when the process begins to stop. */
  get ended(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Every live run is loaded: the API is served from here on (TW-DUR-017). */
  serve(host: RunHost): void {
    this.#host = host;
  }

  stop(): void {
    this.#stopping.abort();
    for (const waiting of this.#waiting) waiting.abort();
  }

  /**
   * A signal for one request that waits (a parked poll, a feed): fires when the process begins to stop (TW-DRN-006) or the
   * reader is gone. `done` fires it too, and forgets it: `AbortSignal.any` would keep something of every poll on the process's own signal.
   */
  waiting(reader: AbortSignal): { signal: AbortSignal; done(): void } {
    const controller = new AbortController();
    const leave = () => controller.abort();
    const done = () => {
      this.#waiting.delete(controller);
      reader.removeEventListener('abort', leave);
      leave();
    };
    this.#waiting.add(controller);
    reader.addEventListener('abort', leave, { once: true });
    if (this.phase === 'stopping' || reader.aborted) leave();
    return { signal: controller.signal, done };
  }

  /** For what is open to everybody: the host if there is one, whatever the phase. */
  peek(): RunHost | undefined {
    return this.#host;
  }

  /** @throws Problem 503 `stopping` (with `Connection: close`) or `run_unavailable` / `starting` before the runs are loaded */
  host(whenStarting: 'run_unavailable' | 'starting'): RunHost {
    if (this.phase === 'stopping') throw stopping();
    if (!this.#host) {
      throw new Problem(whenStarting, 'the orchestrator is starting and has not loaded its runs yet', {
        status: 503,
        headers: retryAfter(),
      });
    }
    return this.#host;
  }
}

/** TW-DRN-006: nothing was taken, and the socket is not to be used again. */
export const stopping = (): Problem =>
  new Problem('stopping', 'the orchestrator is stopping; nothing was taken', {
    headers: { connection: 'close', ...retryAfter() },
  });

export const retryAfter = (): Record<string, string> => ({ 'retry-after': String(RETRY_AFTER_SECONDS) });
