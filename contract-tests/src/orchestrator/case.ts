/** A check of an orchestrator as data. */
import type { AnswerExpected, Call } from '../harness/case.ts';
import type { Check } from '../report/check.ts';
import type { NodeSteps } from './node-case.ts';
import type { HarnessPlan } from './plan.ts';

interface Sent {
  /** Another credential; null sends none. */
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** So many at the same time. */
  readonly copies?: number;
}

export interface Begin extends Sent {
  readonly workflow?: string;
  readonly input?: unknown;
  readonly key?: string;
}

export interface Pick extends Sent {
  /** The name of an `admitted`; `turn` when absent. */
  readonly of?: string;
  readonly event?: string;
  readonly input?: unknown;
  readonly deliveryId?: string;
  readonly turnId?: string;
  readonly iid?: string;
  /** Laid over the usual body; a null takes a member away. */
  readonly body?: Readonly<Record<string, unknown>>;
}

export interface Poll extends Sent {
  readonly of?: string;
  readonly deliveryId: string;
  readonly wait?: number;
  readonly iid?: string;
}

export interface Gate extends Sent {
  readonly run?: string;
  readonly gate: string;
  readonly event: string;
  readonly input?: unknown;
  readonly key?: string;
}

export interface Step extends NodeSteps {
  readonly as?: string;
  readonly begin?: Begin;
  /** Waits for the Submission with this number, counted from 1. */
  readonly admitted?: number;
  readonly settle?: { readonly of?: string; readonly outcome?: string; readonly code?: string };
  readonly surface?: Sent & { readonly of?: string; readonly iid?: string; readonly etag?: string };
  readonly pick?: Pick;
  readonly poll?: Poll;
  readonly gate?: Gate;
  readonly cancel?: Sent & { readonly run?: string; readonly reason?: string };
  /** Asks for the run until it is as expected. */
  readonly view?: { readonly run?: string; readonly withinMs?: number };
  /** The feed of the run, to its end or for so long. `expect` is over `{types, frames, ended, comments}`. */
  readonly feed?: { readonly run?: string; readonly all?: boolean; readonly forMs?: number; readonly until?: string };
  /** `{admissions, submissions, aborts, streams}` as they arrived, after so many milliseconds in which nothing else is to come. */
  readonly arrived?: Readonly<Record<string, unknown>> & { readonly afterMs?: number; readonly withinMs?: number };
  readonly harness?: HarnessPlan;
  /** The kit's Harness dies, or listens again; only in a case of its own. */
  readonly harnessDown?: boolean;
  readonly call?: Call;
  readonly together?: readonly Step[];
  readonly pause?: number;
  /** Waits for the first frame of the feed that is read at the same time. */
  readonly feedIsOpen?: true;
  readonly signal?: 'SIGTERM';
  readonly kill?: true;
  readonly exit?: number;
  readonly start?: Readonly<Record<string, string>>;
  readonly run?: string;
  readonly expect?: unknown;
}

export interface OrchestratorCase extends Check {
  /** `operation status` of answers that its program expects. */
  readonly reaches?: readonly string[];
  /** A process of its own, with these settings over the usual environment; absent: it shares one. */
  readonly own?: Readonly<Record<string, string>>;
  /** Begun before the first step, as `run`. */
  readonly workflow?: string;
  readonly harness?: HarnessPlan;
  readonly steps: readonly Step[];
}

export type { AnswerExpected, Call };
