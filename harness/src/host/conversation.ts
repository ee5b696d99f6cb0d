/** The shell of one conversation: steps in memory, one durable write, then what follows from it. */
import { evolveAll } from '../conversation/evolve.ts';
import type { ConversationState, LogRecord } from '../conversation/state.ts';
import { type ConversationEffect, type ConversationEvent, type Step, step } from '../conversation/step.ts';
import type { Journal } from '../log/journal.ts';
import type { LogFile } from '../log/log-file.ts';

export type Perform = (conversation: Conversation, effect: ConversationEffect) => void;

export interface Applied extends Step {
  /** Resolves when it is on disk, visible to readers, and its effects were begun. */
  readonly committed: Promise<void>;
}

export class Conversation {
  /** As of the last commit: what readers are told. */
  visible: ConversationState;
  /** It was freed, or its log is gone: parked readers are answered 410. */
  gone = false;
  /** Milliseconds since the epoch. */
  lastUsed: number;
  #inFlight = 0;
  /** Resolves when everything applied so far is on disk. */
  committed: Promise<void> = Promise.resolve();
  readonly #watchers = new Set<() => void>();

  constructor(
    /** Ahead of the disk by what is being written. */
    public state: ConversationState,
    readonly log: LogFile,
    readonly journal: Journal,
    readonly perform: Perform,
    now: number,
  ) {
    this.visible = state;
    this.lastUsed = now;
  }

  /** Steps, writes, and after the commit performs the effects. `before` is written first (how a log begins). */
  apply(event: ConversationEvent, before: readonly LogRecord[] = []): Applied {
    this.lastUsed = event.at;
    const next = step(evolveAll(this.state, before), event);
    const records = [...before, ...next.records];
    this.state = next.state;
    if (records.length === 0) {
      this.#performAll(next.effects);
      return { ...next, committed: this.committed };
    }
    this.#inFlight++;
    this.committed = this.journal.append(this.log, records).then(() => {
      this.#inFlight--;
      this.visible = next.state;
      this.wake();
      this.#performAll(next.effects);
    });
    return { ...next, committed: this.committed };
  }

  /** Nothing is live and nothing is being written: its log can stand for it. */
  get restful(): boolean {
    return this.#inFlight === 0 && this.state.live.length === 0;
  }

  /** Somebody reads along. */
  get watched(): boolean {
    return this.#watchers.size > 0;
  }

  /** It is about to be freed: parked readers are told. */
  leave(): void {
    this.gone = true;
    this.wake();
  }

  /** Calls back at each commit until it is told to stop. */
  watch(changed: () => void): () => void {
    this.#watchers.add(changed);
    return () => this.#watchers.delete(changed);
  }

  wake(): void {
    for (const changed of [...this.#watchers]) changed();
  }

  #performAll(effects: readonly ConversationEffect[]): void {
    for (const effect of effects) this.perform(this, effect);
  }
}
