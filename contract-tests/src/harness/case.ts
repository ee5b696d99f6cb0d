/** A check of a harness as data; documented for people in `docs/harness-cases.md`. */
import type { TurnPlan } from '../doubles/plan.ts';
import type { Rule } from '../model/script.ts';
import type { Check } from '../report/check.ts';

/** What an answer must be; see `expect.ts` for the words that begin with `$`. */
export type Expected = unknown;

export interface AnswerExpected {
  readonly status?: Expected;
  readonly code?: Expected;
  readonly headers?: Readonly<Record<string, Expected>>;
  readonly body?: Expected;
  /** The body as text, for what is not JSON. */
  readonly text?: Expected;
  /** Milliseconds that the answer may take at most, or must take at least. */
  readonly withinMs?: number;
  readonly afterMs?: number;
}

/** A request of the Harness API. */
export interface Call {
  readonly method?: string;
  /** Sent as it is written. */
  readonly path?: string;
  /** An absolute URL that the subject gave. */
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Another credential; null sends none. */
  readonly token?: string | null;
  readonly json?: unknown;
  readonly text?: string;
  /** The body is that many bytes of one long text in JSON. */
  readonly bytes?: number;
  /** Only so many bytes of it are sent before the answer is there. */
  readonly sent?: number;
  /** `brackets` arrays in each other. */
  readonly nested?: number;
  /** An answer that does not end (SSE) is read until this text came, or for `forMs`. */
  readonly until?: string;
  readonly forMs?: number;
}

export interface Admission {
  readonly message?: string;
  readonly key?: string;
  readonly name?: string;
  readonly iid?: string;
  /** Laid over the usual body; a null takes a member away. */
  readonly body?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** So many copies at the same time. */
  readonly copies?: number;
  readonly token?: string | null;
}

export interface Follow {
  /** The name of an admission. */
  readonly of: string;
  readonly from?: string;
  readonly withinMs?: number;
}

export interface WaitFor {
  readonly model?: number;
  readonly picks?: number;
  readonly polls?: number;
  readonly surfaces?: number;
  /** Messages of the history. */
  readonly messages?: number;
  /** A submission's `state` in the history. */
  readonly state?: string;
  readonly of?: string;
  readonly withinMs?: number;
}

/** What arrived at the kit for this conversation, each a list in order. */
export interface Arrived {
  /** `{system, last, users, results, tools, toolNames, model, maxTokens}` of each request to the model. */
  readonly model?: Expected;
  /** The results of tool calls as the history has them, in order. */
  readonly results?: Expected;
  /** Every request has the same tools, byte for byte. */
  readonly sameTools?: true;
  /** `{deliveryId, event, input, turnId, copies}` of each pick that was taken. */
  readonly picks?: Expected;
  /** `{operation, answered, headers}` of each request to the agent surface. */
  readonly requests?: Expected;
  readonly surfaces?: Expected;
  readonly polls?: Expected;
  /** Milliseconds to wait first, for what must not come. */
  readonly afterMs?: number;
}

export interface Step {
  /** The name by which later steps speak of this one's answer. */
  readonly as?: string;
  readonly admit?: Admission;
  readonly call?: Call;
  readonly abort?: Readonly<Record<string, unknown>>;
  readonly history?: Readonly<Record<string, never>>;
  readonly follow?: Follow;
  readonly wait?: WaitFor;
  readonly arrived?: Arrived;
  /** Another plan of the turn from here on. */
  readonly plan?: TurnPlan;
  /** What is outstanding has its receipt now. */
  readonly release?: true;
  readonly pause?: number;
  /** SIGTERM, or once more; SIGKILL and the end of the process; its end by itself, with this code; a new one. */
  readonly signal?: 'SIGTERM';
  readonly kill?: true;
  readonly exit?: number;
  readonly start?: Readonly<Record<string, string>>;
  /** Takes the data folder away while no process runs. */
  readonly wipe?: true;
  /** A program's check, by name, where a sequence needs one. */
  readonly run?: string;
  readonly expect?: unknown;
}

export interface HarnessCase extends Check {
  /** Capabilities that the subject must announce for this to be asked of it. */
  readonly needs: readonly string[];
  /** `operation status` of answers that its program expects; they are seen, or the case is wrong. */
  readonly reaches?: readonly string[];
  /** A process of its own, with these settings over the usual environment; absent: it shares one. */
  readonly own?: Readonly<Record<string, string>>;
  readonly turn: TurnPlan;
  readonly model: readonly Rule[];
  readonly steps: readonly Step[];
}
