import type { ConnectionStep, FaultScript, RequestStep } from './script.ts';

/** A uniform source in [0, 1) from a seed: the same seed, the same run (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Chooses the step for what arrives; each step counts what it matches, whether it applies or not. */
export class Chooser {
  readonly #script: FaultScript;
  readonly #counts = new Map<object, number>();
  readonly random: () => number;

  constructor(script: FaultScript) {
    this.#script = script;
    this.random = seeded(script.seed ?? 1);
  }

  connection(): ConnectionStep | undefined {
    return this.#first((step): step is ConnectionStep => step.on === 'connection');
  }

  /** `target` is the request's path, with or without its query. */
  request(method: string, target: string): RequestStep | undefined {
    const line = `${method} ${target.split('?', 1)[0]}`;
    return this.#first(
      (step): step is RequestStep => step.on === 'request' && (step.match === undefined || matches(step.match, line)),
    );
  }

  #first<Wanted extends ConnectionStep | RequestStep>(
    wanted: (step: FaultScript['steps'][number]) => step is Wanted,
  ): Wanted | undefined {
    // Every step counts, also those behind the one that applies: `nth` is what a reader of the script counts.
    const applying = this.#script.steps.filter(wanted).filter((step) => this.#applies(step));
    return applying[0];
  }

  #applies(step: ConnectionStep | RequestStep): boolean {
    const seen = (this.#counts.get(step) ?? 0) + 1;
    this.#counts.set(step, seen);
    const [first, last] =
      typeof step.nth === 'object' ? step.nth : [step.nth ?? 1, step.nth ?? Number.POSITIVE_INFINITY];
    const due = step.chance === undefined || this.random() < step.chance;
    return due && seen >= first && seen <= last;
  }
}

/** `*` stands for any characters. */
export function matches(pattern: string, value: string): boolean {
  const source = pattern.split('*').map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${source.join('.*')}$`).test(value);
}
