/** How many turns may be at work at a time (TW-ADM-015). First come, first served; a turn that comes back goes first. */
export class Slots {
  #free: number;
  readonly #back: (() => void)[] = [];
  readonly #queue: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** @param back it had one before and waited for a delivery since */
  take(back = false): Promise<void> {
    if (this.#free > 0) {
      this.#free--;
      return Promise.resolve();
    }
    return new Promise((resolve) => (back ? this.#back : this.#queue).push(resolve));
  }

  give(): void {
    const next = this.#back.shift() ?? this.#queue.shift();
    if (next) next();
    else this.#free++;
  }
}
