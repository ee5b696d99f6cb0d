/** What the Harness counts, for `GET /metrics`. No label ever holds an id, a prompt or a token. */
import type { RoutabilityLine } from '@turnwire/sdk';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Settlement } from './conversation/state.ts';

/** Where the gauges look when they are asked. */
export interface Gauged {
  readonly turns: { readonly running: number; readonly waiting: number; readonly queued: number };
  readonly conversations: { readonly damagedCount: number };
}

export class Metrics {
  readonly registry = new Registry();
  readonly #admissions = new Counter({
    name: 'turnwire_harness_admissions_total',
    help: 'Admissions by what they were answered.',
    labelNames: ['answer'],
    registers: [this.registry],
  });
  readonly #settlements = new Counter({
    name: 'turnwire_harness_settlements_total',
    help: 'Submissions by how they ended.',
    labelNames: ['outcome', 'code'],
    registers: [this.registry],
  });
  readonly #seconds = new Histogram({
    name: 'turnwire_harness_submission_seconds',
    help: 'From admission to settlement.',
    buckets: [0.1, 0.5, 1, 5, 15, 60, 300, 1800, 7200],
    registers: [this.registry],
  });
  readonly #routability = new Counter({
    name: 'turnwire_routability_total',
    help: 'Calls that needed more than one attempt, by seat.',
    labelNames: ['seat', 'ok'],
    registers: [this.registry],
  });

  constructor(gauged: () => Gauged | undefined) {
    const gauge = (name: string, help: string, read: (from: Gauged) => number) =>
      new Gauge({
        name: `turnwire_harness_${name}`,
        help,
        registers: [this.registry],
        collect() {
          const from = gauged();
          this.set(from ? read(from) : 0);
        },
      });
    gauge('running_turns', 'Turns that hold a slot.', ({ turns }) => turns.running);
    gauge('waiting_turns', 'Turns that only wait for a delivery.', ({ turns }) => turns.waiting);
    gauge('queued_turns', 'Submissions that wait for a slot.', ({ turns }) => turns.queued);
    gauge('damaged_conversations', 'Logs that cannot be read.', ({ conversations }) => conversations.damagedCount);
  }

  admission(answer: 'admitted' | 'replayed' | 'refused'): void {
    this.#admissions.inc({ answer });
  }

  settlement({ outcome, error }: Settlement, ms: number): void {
    this.#settlements.inc({ outcome, code: error?.code ?? '' });
    this.#seconds.observe(ms / 1_000);
  }

  routability({ seat, ok }: RoutabilityLine): void {
    this.#routability.inc({ seat, ok: String(ok) });
  }
}
