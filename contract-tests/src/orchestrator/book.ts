/** What arrived at all of the kit's Harnesses of one subject: whichever of them a turn comes to, it belongs to its case. */
import { Affair } from './affair.ts';

export class Book {
  /** By the mark in its prompts. */
  readonly #affairs = new Map<string, Affair>();
  readonly byIid = new Map<string, Affair>();
  /** Called when a stream may have more to say. */
  readonly wakers = new Set<() => void>();

  affair(mark: string): Affair {
    const affair = this.#affairs.get(mark) ?? new Affair(mark, () => this.#wake());
    this.#affairs.set(mark, affair);
    return affair;
  }

  #wake(): void {
    for (const wake of this.wakers) wake();
  }
}
