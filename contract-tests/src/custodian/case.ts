/** A check of a custodian as data. */
import type { Check } from '../report/check.ts';

/** What the kit's Orchestrator does with one request. Absent: it answers as a good one would. */
export interface Act {
  /** When it does so: with the head of the request, or with all of it, which is the default. */
  readonly at?: 'head' | 'whole';
  readonly status?: number;
  /** Laid over the usual ones; a null takes one away. */
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly json?: unknown;
  readonly text?: string;
  /** A body of so many bytes. */
  readonly bytes?: number;
  readonly chunked?: boolean;
  /** The body goes out in so many pieces, with so many milliseconds between them. */
  readonly pieces?: number;
  readonly everyMs?: number;
  /** After the first piece it waits for the step `release`; with `pieces: 1` before any byte. */
  readonly hold?: boolean;
  /** Milliseconds before anything else. */
  readonly afterMs?: number;
  /** So many bytes of the body come, and then the connection ends as `end` says. */
  readonly cut?: number;
  /** These bytes before the answer. */
  readonly before?: string;
  /** These bytes in the place of an answer. */
  readonly raw?: string;
  /** No answer at all, or after the answer: how the connection ends. */
  readonly end?: 'rst' | 'fin';
  readonly silent?: boolean;
  /** At the next bytes on this connection it is reset. */
  readonly dies?: boolean;
  /** What no Orchestrator says: it is not held against the document. */
  readonly foreign?: boolean;
}

/** What stands where the subject looks for its Orchestrator. */
export type Place = 'orchestrator' | 'refused' | 'unknown_name' | 'full_queue' | 'resets_connections' | 'breaks_tls';

/** A request of the Harness's side. */
export interface Ask {
  readonly route?: 'surface' | 'pick' | 'poll' | 'register' | 'heartbeat';
  readonly method?: string;
  readonly target?: string;
  readonly version?: string;
  /** Laid over the usual ones; a null takes one away, a list sends one more than once. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | null>>;
  readonly json?: unknown;
  readonly text?: string;
  readonly bytes?: number;
  readonly chunked?: boolean;
  /** All of the request; a line break stands for CRLF, and what is behind a form feed waits for an answer. */
  readonly raw?: string;
  /** All of the request as it is. */
  readonly exact?: string;
  /** Goes out in so many pieces, with so many milliseconds between them. */
  readonly pieces?: number;
  readonly everyMs?: number;
  /** Only the head and so many bytes of the body are sent. */
  readonly sent?: number;
  /** It goes away: when the upstream has seen its request, or with the first bytes of the answer. */
  readonly leave?: 'arrived' | 'answered';
  /** Answers that are waited for on the connection; 1 when absent. */
  readonly answers?: number;
  /** Milliseconds that it waits for them. */
  readonly forMs?: number;
  /** So many bytes at a time are read of the answer, with a pause between. */
  readonly slowly?: boolean;
  /** Nothing is read behind the first bytes of the answer. */
  readonly unread?: boolean;
  /** On the health port. */
  readonly health?: boolean;
  /** So many at the same time. */
  readonly copies?: number;
}

export interface Refusal extends Ask {
  readonly name: string;
}

export interface TokenFile {
  /** `held`, the token that is in force; `next`, another of the same placement; or a text as it is. */
  readonly text?: string;
  readonly mode?: string;
  /** By a new file in its place, which is the default, or into the same file. */
  readonly how?: 'rename' | 'write' | 'remove';
}

export interface Step {
  readonly as?: string;
  readonly ask?: Ask;
  /** Each is answered by the subject itself with one of the statuses, and nothing goes upstream. */
  readonly refused?: {
    readonly statuses: readonly number[];
    readonly code?: unknown;
    readonly rows: readonly Refusal[];
  };
  readonly upstream?: readonly Act[];
  readonly release?: boolean;
  /** `{requests, connections, count}` as they arrived. */
  readonly arrived?: Readonly<Record<string, unknown>> & { readonly afterMs?: number; readonly withinMs?: number };
  readonly place?: 'refused' | 'orchestrator';
  readonly token?: TokenFile;
  readonly together?: readonly Step[];
  readonly pause?: number;
  readonly signal?: 'SIGTERM';
  readonly exit?: number;
  readonly start?: Readonly<Record<string, string>>;
  /** It must end by itself, and say in one line why. */
  readonly startFails?: Readonly<Record<string, string>>;
  readonly log?: unknown;
  readonly run?: string;
  readonly expect?: unknown;
}

export interface CustodianCase extends Check {
  /** `operation status` of answers that its steps do not show. */
  readonly reaches?: readonly string[];
  /** A process and an upstream of its own, with these settings over the usual environment; absent: it shares one. */
  readonly own?: Readonly<Record<string, string>>;
  readonly place?: Place;
  /** As it is before the subject starts. */
  readonly token?: TokenFile;
  /** The case starts the subject itself. */
  readonly unstarted?: boolean;
  readonly upstream?: readonly Act[];
  readonly steps: readonly Step[];
}

export interface AnswerExpected {
  readonly status?: unknown;
  readonly code?: unknown;
  readonly flags?: unknown;
  readonly detail?: unknown;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly text?: unknown;
  readonly bytes?: unknown;
  readonly whole?: boolean;
  /** Not ours: it is not held against the document. */
  readonly foreign?: boolean;
  readonly withinMs?: number;
  readonly afterMs?: number;
  /** No answer has to come. */
  readonly none?: boolean;
}
