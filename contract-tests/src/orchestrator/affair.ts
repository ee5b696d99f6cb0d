/** What arrived at the kit's Harness for one case, and what its plan does with it. */
import { isRecord } from '../shape.ts';
import type { Fate, HarnessPlan } from './plan.ts';

/** One request, as it arrived. */
export interface Arrived {
  readonly headers: Readonly<Record<string, string>>;
  readonly name: string;
  readonly iid: string;
  readonly body: unknown;
  /** The placement of the Harness that it came to. */
  readonly node: string;
  /** Milliseconds, monotonic. */
  readonly at: number;
}

export interface Submission {
  readonly submissionId: string;
  readonly key: string | undefined;
  readonly iid: string;
  readonly turnId: string;
  readonly agent: string;
  readonly message: string;
  readonly notices: readonly string[];
  readonly definition: unknown;
  readonly node: string;
  settled?: { outcome: string; error?: { code: string; message: string } };
}

export class Affair {
  readonly admissions: Arrived[] = [];
  readonly submissions: Submission[] = [];
  readonly aborts: Arrived[] = [];
  readonly streams: { submissionId: string; offset: string; at: number }[] = [];
  #plan: HarnessPlan = {};
  #fates: Fate[] = [];
  #lostAborts = 0;
  #streamTimes = Number.POSITIVE_INFINITY;
  /** Turns that were aborted before they were admitted. */
  readonly #remembered = new Set<string>();

  constructor(
    readonly mark: string,
    readonly wake: () => void,
  ) {}

  plan(plan: HarnessPlan): void {
    this.#plan = { ...this.#plan, ...plan };
    if (plan.fates) this.#fates = [...plan.fates];
    if (plan.loseAborts !== undefined) this.#lostAborts = plan.loseAborts;
    if (plan.stream) this.#streamTimes = plan.streamTimes ?? Number.POSITIVE_INFINITY;
    this.wake();
  }

  get chatters(): boolean {
    return this.#plan.chatter === true;
  }

  nextFate(): Fate {
    return this.#fates.shift() ?? 'take';
  }

  losesAbort(): boolean {
    if (this.#lostAborts <= 0) return false;
    this.#lostAborts -= 1;
    return true;
  }

  streamInstead(): HarnessPlan['stream'] {
    if (this.#plan.stream === undefined || this.#streamTimes <= 0) return undefined;
    this.#streamTimes -= 1;
    return this.#plan.stream;
  }

  /** The Submission of an admission: the same one for the same key, as a good Harness has it. */
  submit({ headers, iid, name, body, node }: Arrived): Submission {
    const key = headers['idempotency-key'];
    const known = this.submissions.find((one) => key !== undefined && one.key === key && one.iid === iid);
    if (known) return known;
    const { turnId, message, notices = [], definition } = (isRecord(body) ? body : {}) as Record<string, unknown>;
    const submission: Submission = {
      submissionId: `sub-${this.submissions.length + 1}-${this.mark.replaceAll(/[^\w.-]/g, '')}`,
      ...{ key, iid, agent: name, turnId: String(turnId), message: String(message) },
      ...{ notices: notices as string[], definition, node },
    };
    this.submissions.push(submission);
    if (this.#remembered.has(submission.turnId)) this.settle(submission, 'aborted', 'aborted');
    return submission;
  }

  settle(submission: Submission, outcome: string, code?: string): void {
    submission.settled ??= code === undefined ? { outcome } : { outcome, error: { code, message: `it is ${code}` } };
    this.wake();
  }

  /** @returns the ids of what it ended */
  abort({ iid, body }: Arrived): string[] {
    const { submissionId, turnId } = (isRecord(body) ? body : {}) as { submissionId?: string; turnId?: string };
    const last = this.submissions.findIndex((one) => one.submissionId === submissionId || one.turnId === turnId);
    if (turnId !== undefined && last < 0) this.#remembered.add(turnId);
    const open = this.submissions.filter((one, index) => one.iid === iid && !one.settled && index <= last);
    if (this.#plan.deaf === true) return [];
    for (const one of open) this.settle(one, 'aborted', 'aborted');
    return open.map((one) => one.submissionId);
  }
}
