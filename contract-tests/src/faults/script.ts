/**
 * The script of the fault proxy: named, seeded steps. Documented for people in `docs/faults.md`; checked by `validate.ts`.
 */

/** What the proxy does with one connection before it looks at a request. */
export type ConnectionFault = 'pass' | 'silent' | 'reset_on_connect';

/** What the listener does to whoever connects. */
export type ListenerFault = 'refused' | 'full_queue';

/** What the proxy does with one request. */
export type RequestFault =
  | 'pass'
  | 'silent'
  | 'reset_early'
  | 'reset_after_request'
  | 'close_after_request'
  | 'garbage'
  | 'cut_after_headers'
  | 'cut_body'
  | 'cut_chunk'
  | 'stall_body'
  | 'broken_json'
  | 'dies_on_reuse'
  | 'closes_idle'
  | 'duplicate'
  | 'late_copy'
  | 'slow_read'
  | 'answer';

interface Chosen {
  /** For the record and for people. */
  readonly name?: string;
  /** Of what this step matches: the n-th (1 is the first), or `[first, last]`; absent: each. */
  readonly nth?: number | readonly [number, number];
  /** Probability in [0, 1] with which it applies, drawn from the script's seed; 1 when absent. */
  readonly chance?: number;
}

/** From the start of the proxy on. Everything else of the script needs a connection to be made. */
export interface ListenerStep {
  readonly on: 'listener';
  readonly name?: string;
  readonly fault: ListenerFault;
  /** Milliseconds; absent: until it is ended by hand, or for ever. */
  readonly forMs?: number;
}

export interface ConnectionStep extends Chosen {
  readonly on: 'connection';
  readonly fault: ConnectionFault;
}

/** An answer in the upstream's place. */
export interface CannedAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A text as it is; anything else as JSON. */
  readonly body?: unknown;
}

export interface RequestStep extends Chosen {
  readonly on: 'request';
  /** `METHOD /path`, `*` standing for any characters, the query not looked at; absent: any request. */
  readonly match?: string;
  readonly fault: RequestFault;
  /** Whether the upstream gets the request although its answer does not come through. */
  readonly deliver?: boolean;
  /** How a connection is ended: `fin` (a clean end) or `rst`, the default. */
  readonly end?: 'fin' | 'rst';
  /** Bytes of the answer's body that come through before the cut or the stall; half of it when absent. */
  readonly afterBytes?: number;
  /** Milliseconds: before the request is forwarded (`pass`), until the late copy, between two reads of a slow reader. */
  readonly ms?: number;
  readonly answer?: CannedAnswer;
  /** When this step is over the proxy refuses connections for so many milliseconds, and ends those that are open. */
  readonly downMs?: number;
}

export type Step = ListenerStep | ConnectionStep | RequestStep;

export interface FaultScript {
  /** Of everything that is drawn; 1 when absent. */
  readonly seed?: number;
  /** The first that matches applies; what none matches passes. */
  readonly steps: readonly Step[];
}
