/** What happened at the peer, counted. */
export interface Effects {
  /** Submissions that were queued. */
  turns: number;
  /** Events that the machine took from picks. */
  transitions: number;
  /** Aborts that were processed. */
  aborts: number;
  /** Runs that were begun. */
  runs: number;
  /** Gate answers that were taken. */
  gateAnswers: number;
  /** Cancels that were taken. */
  cancels: number;
}

/** How a peer of one case behaves. */
export interface PeerSettings {
  /** Which of the two peers it says that it is; both are at one address. `harness` when absent. */
  readonly role?: 'harness' | 'orchestrator';
  readonly store?: string;
  /** Whether a key is honoured: without it every copy of an admission is a turn. */
  readonly idempotentAdmissions?: boolean;
  /** Whether a client's delivery id is honoured: without it every copy of a pick is a transition. */
  readonly clientDeliveryIds?: boolean;
  readonly fencedAbort?: boolean;
  /** Polls of an outstanding pick that are answered 202 before the receipt; absent: the pick is answered with it at once. */
  readonly outstandingPolls?: number;
  /** Members of the receipt that are not as usual; `null` takes one away. */
  readonly receipt?: Readonly<Record<string, unknown>>;
  /** The turn is over: what is asked about it is 404 `turn_over`. */
  readonly turnOver?: boolean;
  /** A pick of this id is already known as taken. */
  readonly taken?: string;
}

/** What a handler answers. */
export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** What a handler is asked. */
export interface Asked {
  readonly operation: string;
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Record<string, unknown>;
  /** The address it was asked at. */
  readonly origin: string;
}

export const problem = (status: number, code: string, more: object = {}): Reply => ({
  status,
  headers: { 'content-type': 'application/problem+json', 'turnwire-code': code },
  body: {
    type: `urn:turnwire:problem:${code}`,
    title: code,
    status,
    detail: `The double says ${code}.`,
    code,
    ...more,
  },
});
