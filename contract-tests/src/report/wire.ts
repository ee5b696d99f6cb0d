/** The messages of one check, for its drawing and its transcript. */

/** The parties of a drawing; `kit` is the kit as whoever asks the subject. */
export type Party = 'kit' | 'subject' | 'model' | 'orchestrator' | 'harness' | 'peer';

/** One message, or a remark of the kit between two. */
export interface WireEvent {
  /** Milliseconds since the check began. */
  readonly atMs: number;
  /** Of a remark both are the same. */
  readonly from: Party;
  readonly to: Party;
  readonly label: string;
  /** A piece of what was in it. */
  readonly body?: string;
}

/** Characters of a body that are kept, and messages of one check. */
const mostBody = 600;
const mostEvents = 400;

/** Characters of a label: a target may be as long as a case has it. */
const mostLabel = 300;

export class Wire {
  readonly #lines: { readonly at: number; readonly line: string }[] = [];
  readonly #events: { readonly at: number; readonly event: WireEvent }[] = [];

  /** @param startedAt `performance.now()` at the beginning of the check */
  constructor(readonly startedAt = performance.now()) {}

  /** In the order of time. */
  get events(): readonly WireEvent[] {
    return [...this.#events].sort((one, other) => one.at - other.at).map(({ event }) => event);
  }

  /** @param at `performance.now()` when it was seen; now when absent */
  message(from: Party, to: Party, label: string, body?: string, at = performance.now()): void {
    if (this.#events.length >= mostEvents) return;
    const shown = body === undefined || body === '' ? {} : { body: body.slice(0, mostBody) };
    const atMs = Math.max(0, Math.round(at - this.startedAt));
    this.#events.push({ at, event: { atMs, from, to, label: label.slice(0, mostLabel), ...shown } });
  }

  /** A line of the transcript. @param at `performance.now()` when it was so; now when absent */
  note(line: string, at = performance.now()): void {
    this.#lines.push({ at, line });
  }

  /** In the order of time, each with its own. */
  get lines(): readonly string[] {
    const timed = [...this.#lines].sort((one, other) => one.at - other.at);
    return timed.map(
      ({ at, line }) =>
        `${Math.max(0, at - this.startedAt)
          .toFixed(0)
          .padStart(6)} ms  ${line}`,
    );
  }

  remark(label: string): void {
    this.message('kit', 'kit', label);
  }
}
