/** Counters with labels: a series is named as Prometheus writes it, `name{label="value"}`. No label holds an id, an input or a token. */
export class Tally {
  readonly #counts = new Map<string, number>();

  add(name: string, labels: Readonly<Record<string, string>>): void {
    const named = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
    const series = `${name}{${named.join(',')}}`;
    this.#counts.set(series, (this.#counts.get(series) ?? 0) + 1);
  }

  all(): Record<string, number> {
    return Object.fromEntries(this.#counts);
  }
}
