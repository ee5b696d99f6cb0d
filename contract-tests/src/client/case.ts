import type { CannedAnswer, ConnectionStep, ListenerStep, RequestStep } from '../faults/script.ts';
import type { PeerSettings } from './peer/state.ts';
import type { CallOptions } from './protocol.ts';

export type Level = 'must' | 'should' | 'may';

/** An answer of ours in few words: `{status: 503, code: draining}`. */
export interface OurAnswer extends CannedAnswer {
  readonly code?: string;
  /** Further members of the problem body. */
  readonly more?: Readonly<Record<string, unknown>>;
}

/** A fault as `faults.yaml` names it. */
export type NamedFault =
  | Omit<ListenerStep, 'name'>
  | Omit<ConnectionStep, 'name' | 'nth'>
  | (Omit<RequestStep, 'name' | 'match' | 'nth' | 'answer' | 'on'> & {
      on?: 'request';
      answer?: OurAnswer;
      ours?: OurAnswer;
    });

/** One call of a seat. */
export interface SeatCall {
  /** As the spec names it, in log lines and faults. */
  readonly seat: string;
  /** Of the adapter. */
  readonly command: string;
  /** `operationId` of what it sends. */
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly options?: CallOptions;
}

/** How many: exactly, or within bounds. */
export type Amount = number | { readonly min?: number; readonly max?: number };

/** What has to come out. What is not given is not looked at, the rules of `invariants.ts` always are. */
export interface Expectation {
  /** `ok`, `fault`, `thrown`, or the code of an outcome. */
  readonly outcome: string;
  /** Of the fault. */
  readonly code?: string;
  readonly certainty?: string;
  readonly permanent?: boolean;
  readonly attempts?: Amount;
  /** Requests of which a byte arrived, by operation. */
  readonly arrived?: Readonly<Record<string, Amount>>;
  readonly effects?: Readonly<Record<string, Amount>>;
  /** Members of the result's `value`. */
  readonly value?: Readonly<Record<string, unknown>>;
  /** Further values of the outcome's text. */
  readonly texts?: Readonly<Record<string, unknown>>;
  /** Headers of every copy. */
  readonly sent?: Readonly<Record<string, string>>;
  /** Headers of the last copy. */
  readonly lastSent?: Readonly<Record<string, string>>;
  /** Parts of the query of the last copy. */
  readonly lastQuery?: Readonly<Record<string, string>>;
  /** The body of the last copy, in the words of `harness/expect.ts`. */
  readonly sentBody?: Readonly<Record<string, unknown>>;
  /** Milliseconds between a copy and the next one. */
  readonly gaps?: readonly { readonly min?: number; readonly max?: number }[];
  /** Each copy came on a connection of its own, and none on one that was used before this call. */
  readonly newSockets?: boolean;
  /** Milliseconds that the call took. */
  readonly took?: { readonly min?: number; readonly max?: number };
  /** Order in which operations arrived, as far as it matters. */
  readonly order?: readonly string[];
}

/** A further fault, on another request. */
export interface FurtherFault {
  readonly at: string;
  readonly nth?: number | readonly [number, number];
  readonly fault: string;
}

/** One case, ready to be run. */
export interface ClientCase {
  readonly id: string;
  readonly theme: string;
  readonly says: string;
  readonly requirements: readonly string[];
  readonly level: Level;
  readonly call: SeatCall;
  readonly peer: PeerSettings;
  readonly steps: readonly (ListenerStep | ConnectionStep | RequestStep)[];
  /** So many of the same call come before, on the same connection; they are not judged. */
  readonly before: number;
  /** Milliseconds between them and the call. */
  readonly pauseMs: number;
  /** The caller gives up: when the n-th request of this operation is whole, or after a while. */
  readonly cancel?: { readonly arrived?: string; readonly nth?: number; readonly afterMs?: number };
  /** Where the subject is sent instead of the proxy. */
  readonly address?: 'unresolvable' | 'https';
  readonly expect: Expectation;
}
