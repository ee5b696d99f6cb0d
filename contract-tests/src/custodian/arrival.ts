/** What arrived at the kit's Orchestrator: connections, and requests as far as they came. */
import { type Head, Message } from '../faults/http1.ts';
import { type Answer, parsed } from '../harness/wire.ts';
import type { Sent } from '../run/document.ts';
import type { Act } from './case.ts';

/** Characters that are shown of what is no request. */
const shown = 80;

export interface Connected {
  readonly n: number;
  /** Milliseconds, monotonic. */
  readonly at: number;
  /** When the other side ended it, or we did. */
  endedAt?: number;
  /** Bytes that were read of it. */
  bytes: number;
}

export class Arrival {
  /** As far as it came. */
  readonly message = Message.request();
  /** The other side ended the connection before the request was whole, or before it was answered. */
  cut = false;
  /** Milliseconds, monotonic, when the connection was lost to it. */
  goneAt: number | undefined;
  /** What the kit did with it, and when. */
  fate: { readonly at: number; readonly says: string } | undefined;
  /** What it was answered, when that is to be an Orchestrator's answer. */
  reply: Answer | undefined;
  readonly at = performance.now();

  constructor(readonly connection: Connected) {}

  get head(): Head | undefined {
    return this.message.head;
  }

  get body(): Buffer {
    return this.message.body;
  }

  get whole(): boolean {
    return this.message.whole;
  }

  get method(): string {
    return this.head?.startLine.split(' ')[0] ?? '';
  }

  get target(): string {
    return this.head?.startLine.split(' ')[1] ?? '';
  }

  get headers(): Record<string, string> {
    const all: Record<string, string> = {};
    for (const [name, value] of this.head?.headers ?? [])
      all[name] = all[name] === undefined ? value : `${all[name]}, ${value}`;
    return all;
  }

  /** As a case sees it. */
  get seen(): Record<string, unknown> {
    const { method, target, headers, body, whole, cut } = this;
    const names = (this.head?.headers ?? []).map(([name]) => name).sort();
    const all = this.message.bytes.toString('latin1');
    return { method, target, headers, names, text: body.toString(), bytes: body.length, all, whole, cut };
  }

  /** As a document has a request. */
  get sent(): Sent {
    const { method, target, headers, body } = this;
    return { method, target, headers, body: body.length === 0 ? undefined : parsed(body.toString()) };
  }

  get state(): 'whole' | 'cut' | 'open' {
    return this.whole ? 'whole' : this.cut ? 'cut' : 'open';
  }

  get line(): string {
    const { state } = this;
    if (!this.head) return `${JSON.stringify(this.message.bytes.toString('latin1', 0, shown))}, which is no head`;
    return `${this.method} ${this.target} (connection ${this.connection.n}, ${this.body.length} bytes of body, ${state})`;
  }
}

/** The requests of one case, told by its mark, and what its plan does with them. */
export class Affair {
  readonly requests: Arrival[] = [];
  #acts: Act[] = [];
  #release: () => void = () => undefined;
  #released = new Promise<void>((resolve) => {
    this.#release = resolve;
  });

  constructor(readonly mark: string) {}

  plan(acts: readonly Act[]): void {
    this.#acts = [...acts];
  }

  /** The next one of the plan; a good Orchestrator's when there is none left. */
  next(): Act {
    return this.#acts.shift() ?? {};
  }

  get released(): Promise<void> {
    return this.#released;
  }

  release(): void {
    this.#release();
    this.#released = new Promise((resolve) => {
      this.#release = resolve;
    });
  }
}
