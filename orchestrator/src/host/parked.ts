/** Polls that wait for a receipt. */
export class Parked {
  readonly #waiting = new Map<string, Set<() => void>>();

  get size(): number {
    let size = 0;
    for (const set of this.#waiting.values()) size += set.size;
    return size;
  }

  /** Parks under `id` until it is woken or `end` is called. */
  park(id: string): { woken: Promise<void>; end(): void } {
    let wake = (): void => {};
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const set = this.#waiting.get(id) ?? new Set();
    this.#waiting.set(id, set.add(wake));
    const end = () => {
      set.delete(wake);
      if (set.size === 0 && this.#waiting.get(id) === set) this.#waiting.delete(id);
      wake();
    };
    return { woken, end };
  }

  /** TW-DLV-012: as soon as the receipt is there. */
  wake(id: string): void {
    for (const wake of this.#waiting.get(id) ?? []) wake();
  }

  wakeAll(): void {
    for (const id of this.#waiting.keys()) this.wake(id);
  }
}
