/** What the model is saying in this step, and the deltas of it that observers get. */
import { DELTA_INTERVAL_MS } from './limits.ts';
import type { TurnClock, TurnRecord } from './port.ts';

export class Speech {
  readonly #clock: TurnClock;
  readonly #save: (records: readonly TurnRecord[]) => Promise<void>;
  #messageId = '';
  #text = '';
  /** How much of the text observers have. */
  #shown = 0;
  #lastAt = Number.NEGATIVE_INFINITY;
  #timer: AbortController | undefined;

  constructor(clock: TurnClock, save: (records: readonly TurnRecord[]) => Promise<void>) {
    this.#clock = clock;
    this.#save = save;
  }

  /** The message so far; a step that was begun again starts from nothing, under another id. */
  get soFar(): { messageId: string; text: string } {
    return { messageId: this.#messageId, text: this.#text };
  }

  begin(messageId: string): void {
    this.end();
    this.#messageId = messageId;
    this.#text = '';
    this.#shown = 0;
  }

  say(text: string): void {
    this.#text += text;
    if (this.#timer === undefined) void this.#showLater();
  }

  /** What was not shown is not sent any more: the whole message follows at once. */
  end(): void {
    this.#timer?.abort();
    this.#timer = undefined;
  }

  /** One delta is on its way at a time; what comes meanwhile is in the next one, however slow the disk is. */
  async #showLater(): Promise<void> {
    const timer = new AbortController();
    this.#timer = timer;
    while (this.#text.length > this.#shown) {
      const wait = this.#lastAt + DELTA_INTERVAL_MS - this.#clock.now();
      if (wait > 0) await this.#clock.sleep(wait, timer.signal);
      if (timer.signal.aborted) return;
      await this.#show();
      if (timer.signal.aborted) return;
    }
    this.#timer = undefined;
  }

  #show(): Promise<void> {
    const text = this.#text.slice(this.#shown);
    this.#shown = this.#text.length;
    this.#lastAt = this.#clock.now();
    return this.#save([{ type: 'message.delta', messageId: this.#messageId, text }]);
  }
}
