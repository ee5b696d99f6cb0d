/**
 * The shape of the tables that the generator emits for TypeScript; it is copied beside them. Everything in them is data of
 * the OpenAPI documents (see `spec/retry.schema.json`); no SDK writes a status, a code, a window or a text by hand.
 */

/** What is proved about a request without an answer; `answered`: a status of ours that says it was not taken. */
export type Certainty = 'never_delivered' | 'unknown' | 'delivered' | 'answered';

/** One name of the evidence table: what a language's own error is mapped onto before it is judged. */
export interface EvidenceRow {
  readonly certainty: 'never_delivered' | 'unknown';
  /** A refusal that a re-send cannot change (a certificate that is not trusted): fails at once. */
  readonly permanent?: boolean;
  /** One sentence for a person. */
  readonly meaning: string;
}

/** One row of a language's native-error table; rows are tried in order, the first that matches decides. */
export interface NativeRule {
  readonly evidence: string;
  /** Error codes; `*` stands for any run of characters, the whole code is matched. Absent: any, or none. */
  readonly code?: readonly string[];
  /** System calls. Absent: any; an empty list: the error names none. */
  readonly syscall?: readonly string[];
  /** Error names (`AbortError`). Absent: any. */
  readonly name?: readonly string[];
  /** Names of an error further out, of which this one is the cause. Absent: any, or none. No rule of Node's has it. */
  readonly within?: readonly string[];
}

/** One row of the answer table; rows are tried in order, the first that matches decides. */
export interface AnswerRule {
  readonly ours: boolean;
  /** Inclusive status range. */
  readonly status?: readonly [number, number];
  readonly codes?: readonly string[];
  /** The value of the custodian's header (`headers.custodian`). */
  readonly mark?: string;
  /** The body's `flags` is readable, a list, not empty, and every item is exactly one of these. */
  readonly onlyFlags?: readonly string[];
  readonly certainty: Certainty;
  readonly taken?: boolean;
}

/** Answers of ours by status and code. `codes` absent: any code. */
export interface AnswerMatch {
  readonly status: readonly [number, number];
  readonly codes?: readonly string[];
}

/** What one seat may do; one row of the policy table. */
export interface SeatPolicy {
  /** The capability of the peer that this row needs; without it the operation's base row applies. */
  readonly capability?: string;
  /** `fault`: surface the failure; `tell`: render an outcome; `keep`: go on with what is known. */
  readonly neverDelivered: 'resend' | 'tell' | 'keep';
  /**
   * `resend_same_store`: only with the same key and the store that the first copy was meant for;
   * `resend_if_fenced`: only when the request carries a fence and the peer honours it;
   * `resolve`: look the delivery up, then send again under the same id.
   */
  readonly unknown:
    | 'resend'
    | 'resend_same_key'
    | 'resend_same_store'
    | 'resend_if_fenced'
    | 'resolve'
    | 'tell'
    | 'keep'
    | 'fault';
  /** Those that the seat asks again after. */
  readonly answers: readonly AnswerMatch[];
  /** 0: a single attempt. `null`: no window, it goes on for as long as it takes. */
  readonly windowMs: number | null;
  readonly attemptMs: number;
  /** The attempt timer is the poll's own wait plus `attemptMs`. */
  readonly plusPoll?: boolean;
  /** An answer resets the ladder (seats with no window). */
  readonly answerResets?: boolean;
}

export interface ResponseRow {
  readonly means: string;
  readonly taken: boolean | 'unknown';
  readonly codes?: readonly string[];
  readonly media?: readonly string[];
}

export interface OperationRow {
  /** The documents that have it; the custodian forwards some of the orchestrator's. */
  readonly documents: readonly ('harness' | 'orchestrator' | 'custodian')[];
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD';
  readonly path: string;
  readonly seats: Readonly<Record<string, SeatPolicy>>;
  /** Keyed by status, `"200"`. */
  readonly responses: Readonly<Record<string, ResponseRow>>;
}

export interface OutcomeRow {
  readonly kind: 'answer' | 'error';
  /** `{name}` is replaced; see `spec/outcomes.yaml` for the template language. */
  readonly text: string;
  readonly invites: boolean;
  /** Answers that refuse a pick and come to this; what stands in no row is `rejected`. */
  readonly answers?: readonly AnswerMatch[];
  /** They speak of every copy of the pick, so they settle one that was in doubt. */
  readonly ofEveryCopy?: boolean;
}

/** The root extension and the operations of the three documents. The type arguments are the generated name unions. */
export interface Protocol<
  Operation extends string = string,
  Evidence extends string = string,
  Code extends string = string,
  Header extends string = string,
  Constant extends string = string,
> {
  readonly version: string;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<Header, string>>;
  /** Each name ends in its unit. */
  readonly constants: Readonly<Record<Constant, number>>;
  readonly ladder: { readonly rungsMs: readonly number[]; readonly floorShare: number };
  /** How many levels of an error are looked at; itself is level 1. */
  readonly causeDepth: number;
  readonly evidence: Readonly<Record<Evidence, EvidenceRow>>;
  /** What a failure counts as when the caller had aborted and no status line had come. */
  readonly afterAbort: Evidence;
  /** What a failure counts as when nothing in it is evidence. */
  readonly unexplained: Evidence;
  readonly native: { readonly node: readonly NativeRule[] };
  readonly answers: readonly AnswerRule[];
  readonly custodian: CustodianData;
  readonly operations: Readonly<Record<Operation, OperationRow>>;
  readonly problemCodes: Readonly<Record<Code, ProblemRow>>;
}

/** The custodian's mark, its own re-sends, and what it says of a failure in Envoy's response-flag words. */
export interface CustodianData {
  /** The value of its header on its own 502. */
  readonly mark: string;
  /** The bearer token that a request to it must carry; it is public and worthless elsewhere. */
  readonly standIn: string;
  /** Lower-case names of the request headers that go upstream. */
  readonly forwardedHeaders: readonly string[];
  readonly connectTimeoutMs: number;
  readonly pickRetries: number;
  readonly retryWindowMs: number;
  readonly readRetries: number;
  readonly provingFlags: readonly string[];
  /** Its retries ran out and no attempt had written a byte. */
  readonly exhaustedFlag: string;
  /** The caller went away. */
  readonly abortedFlag: string;
  /** The caller's request was malformed after it began. */
  readonly malformedFlag: string;
  /** Evidence name → flag; every evidence name has one. */
  readonly flags: Readonly<Record<string, string>>;
}

/** A problem code, the status that it comes with and the title of its problem document. */
export interface ProblemRow {
  readonly status: number;
  readonly title: string;
}

/** One code of `agent.fault.<slot>` (`spec/faults.yaml`). */
export interface FaultRow {
  /** The failure category of the execution's record. */
  readonly category: string;
  /** Settlement error codes, problem codes of an answer, and certainties of a request without one that end in this fault. */
  readonly settlements?: readonly string[];
  readonly answers?: readonly string[];
  readonly certainties?: readonly Certainty[];
  /** An agent declared `rerunnable` may be run once more after it, if no pick of the turn was taken. */
  readonly rerunnable: boolean;
  readonly meaning: string;
}
