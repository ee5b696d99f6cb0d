/** Events on their way to the step machine, one at a time and in order of arrival. */
export interface Letter<Event> {
  /** Made when it is read, so that it says what holds then. */
  readonly event: () => Event;
  /** Called when everything that the event caused has been done. */
  readonly done?: () => void;
}

export class Inbox<Event> {
  readonly #letters: Letter<Event>[] = [];
  #failure: { error: unknown } | undefined;
  #wake: (() => void) | undefined;

  put(event: () => Event, done?: () => void): void {
    this.#letters.push({ event, ...(done && { done }) });
    this.#wake?.();
  }

  /** Resolves when the event was dealt with. */
  deliver(event: () => Event): Promise<void> {
    return new Promise((resolve) => this.put(event, resolve));
  }

  /** A programmer's error somewhere: `next` rejects with it. */
  fail(error: unknown): void {
    this.#failure ??= { error };
    this.#wake?.();
  }

  async next(): Promise<Letter<Event>> {
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure.error;
      const letter = this.#letters.shift();
      if (letter !== undefined) return letter;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
