/** Work under one name, one after the other: the second one finds what the first one made. */
export class InLine {
  readonly #waiting = new Map<string, Promise<unknown>>();

  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#waiting.get(name) ?? Promise.resolve();
    const mine = before.then(work);
    const quiet = mine.catch(() => {});
    this.#waiting.set(name, quiet);
    await quiet;
    if (this.#waiting.get(name) === quiet) this.#waiting.delete(name);
    return mine;
  }
}
