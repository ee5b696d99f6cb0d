/**
 * The Harnesses of all placements, through the SDK: one connection each, and what was learned of them. Every answer names
 * the Harness's store; capabilities come from its well-known document, read in the background (no admission waits for it).
 */
import { isDeepStrictEqual } from 'node:util';
import {
  abort,
  admit,
  type CallOptions,
  type Certainty,
  type Connection,
  type ConnectionOptions,
  connect,
  harnessInfo,
  type Retry,
  TurnwireFault,
  wait,
} from '@turnwire/sdk';
import { LEARN_PAUSE_MS } from '../limits.ts';
import type { KnownPlacement } from '../run/draft.ts';
import type { PlacementRow } from '../run/rows.ts';
import type { Settlement } from '../run/state.ts';
import type { HostClock } from './clock.ts';
import type { Placements } from './placements.ts';

export interface AdmitRequest {
  placement: string;
  name: string;
  iid: string;
  /** The exact text of the intent. */
  body: string;
  key: string;
  store?: string;
  inDoubt: boolean;
  onStoreChanged: 'resend' | 'fault';
  /** Awaited before the first byte of each copy, with the store that it names; when it rejects, that copy is not sent. */
  beforeSend(store: string | undefined): Promise<void>;
  /** After each attempt that is followed by another one: what it proves. */
  onRetry(certainty: Certainty): void;
}

/** One call: ends with the signal, and carries the trace that it is part of. */
export interface Call {
  signal: AbortSignal;
  /** W3C `traceparent` (TW-GEN-015). */
  trace?: string;
}

export interface AbortRequest {
  placement: string;
  name: string;
  iid: string;
  submissionId?: string;
  turnId?: string;
}

/** The Harness's side as the host's effects use it. */
export interface Harnesses {
  known(placement: string): KnownPlacement;
  /** @throws TurnwireFault */
  admit(
    request: AdmitRequest,
    call: Call,
  ): Promise<{ admission: { streamUrl: string; offset: string; submissionId: string }; store?: string }>;
  /** Never gives up by itself (TW-RUN-021). @throws TurnwireFault */
  wait(placement: string, at: { path: string; offset: string }, call: Call): Promise<Settlement>;
  /** Resolves when it was acknowledged. @throws TurnwireFault */
  abort(request: AbortRequest, call: Call): Promise<void>;
}

export interface SdkHarnessesOptions {
  placements: Placements;
  /** What was known at the last stop. */
  remembered: readonly PlacementRow[];
  clock: HostClock;
  /** Saves what is newly known; its failure costs nothing but that knowledge. */
  save: (row: PlacementRow) => Promise<unknown>;
  connection?: Omit<ConnectionOptions, 'baseUrl' | 'token'>;
}

export class SdkHarnesses implements Harnesses {
  readonly #options: SdkHarnessesOptions;
  readonly #known = new Map<string, PlacementRow>();
  readonly #connections = new Map<string, Connection>();
  readonly #asking = new Set<string>();
  readonly #closed = new AbortController();

  constructor(options: SdkHarnessesOptions) {
    this.#options = options;
    for (const row of options.remembered) this.#known.set(row.placement, row);
  }

  /** Asks every placement what it is, until it says so; a node has said it. */
  learnAll(): void {
    const { placements } = this.#options;
    for (const name of placements.names()) if (!placements.get(name)?.said) void this.#learn(name);
  }

  /** A node has registered: what it did not say is asked, once. */
  registered(placement: string): void {
    if (this.#of(placement)?.store === undefined) void this.#ask(placement);
  }

  /** What is known of a placement: what its node said, and what was learned since. */
  #of(placement: string): PlacementRow | undefined {
    const row = this.#known.get(placement);
    const said = this.#options.placements.get(placement)?.said;
    if (!said) return row;
    const store = row?.store !== undefined && row.at > said.at ? row.store : (said.store ?? row?.store);
    const { at, capabilities } = said;
    return { placement, at, capabilities, ...(store === undefined ? {} : { store }) };
  }

  known(placement: string): KnownPlacement {
    const at = this.#options.placements.get(placement);
    const row = this.#of(placement);
    return {
      ...(at === undefined ? {} : { baseUrl: at.baseUrl }),
      ...(row?.store === undefined ? {} : { store: row.store }),
      ...(row?.capabilities === undefined ? {} : { fencedAbort: row.capabilities.fencedAbort }),
    };
  }

  async admit(request: AdmitRequest, call: Call) {
    const { placement, store } = request;
    const { capabilities } = this.#of(placement) ?? {};
    try {
      return await this.#admit(request, call);
    } catch (error) {
      // What is not known of a Harness is asked before a turn is lost for it: with keys and this store, a copy is safe.
      const isDoubt = error instanceof TurnwireFault && error.code === 'admission_unknown' && !call.signal.aborted;
      if (!isDoubt || store === undefined || capabilities !== undefined) throw error;
      if (!(await this.#ask(placement, { signal: call.signal }))) throw error;
      return await this.#admit({ ...request, inDoubt: true }, call);
    }
  }

  async #admit(request: AdmitRequest, call: Call) {
    const { placement, name, iid, body, key, store, inDoubt, onStoreChanged } = request;
    const connection = this.#connection(placement);
    const idempotentAdmissions = this.#of(placement)?.capabilities?.idempotentAdmissions ?? false;
    const beforeSend = ({ expectStore }: { expectStore: string | undefined }) => request.beforeSend(expectStore);
    const input = { name, iid, body, key, inDoubt, idempotentAdmissions, onStoreChanged, beforeSend };
    const onRetry = ({ certainty }: Retry) => request.onRetry(certainty);
    try {
      const known = store === undefined ? input : { ...input, expectStore: store };
      const admitted = await admit(connection, known, { ...optionsOf(call), onRetry });
      this.#saw(placement, admitted.store);
      return { admission: admitted.admission, ...(admitted.store === undefined ? {} : { store: admitted.store }) };
    } catch (error) {
      if (error instanceof TurnwireFault && error.certainty === 'answered') this.#saw(placement, undefined);
      throw error;
    }
  }

  async wait(placement: string, at: { path: string; offset: string }, call: Call): Promise<Settlement> {
    const { outcome, error } = await wait(
      this.#connection(placement),
      { streamUrl: at.path, offset: at.offset },
      optionsOf(call),
    ).settlement();
    return error === undefined ? { outcome } : { outcome, error };
  }

  async abort(request: AbortRequest, call: Call): Promise<void> {
    const { placement, ...of } = request;
    const fencedAbort = this.#of(placement)?.capabilities?.fencedAbort ?? false;
    await abort(this.#connection(placement), { ...of, fencedAbort }, optionsOf(call));
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await Promise.all([...this.#connections.values()].map((connection) => connection.close()));
  }

  #connection(placement: string): Connection {
    const at = this.#options.placements.get(placement);
    if (!at) throw new TurnwireFault(noPlacement(placement));
    const known = this.#connections.get(placement);
    if (known?.baseUrl === at.baseUrl) return known;
    void known?.close();
    const connection = connect({ ...this.#options.connection, baseUrl: at.baseUrl, token: at.token });
    this.#connections.set(placement, connection);
    return connection;
  }

  /** An answer came: the Harness is up, so what is not known of it yet can be asked. */
  #saw(placement: string, store: string | undefined): void {
    const row = this.#of(placement);
    if (row?.capabilities === undefined || (store !== undefined && store !== row.store)) void this.#learn(placement);
    if (store !== undefined && store !== row?.store)
      this.#remember({ ...row, placement, store, at: this.#options.clock.now() });
  }

  async #learn(placement: string): Promise<void> {
    if (this.#asking.has(placement)) return;
    this.#asking.add(placement);
    const { signal } = this.#closed;
    while (!signal.aborted && !(await this.#ask(placement))) await this.#options.clock.sleep(LEARN_PAUSE_MS, signal);
    this.#asking.delete(placement);
  }

  /** In the background it is a single attempt. */
  async #ask(placement: string, call: CallOptions = { signal: this.#closed.signal, windowMs: 0 }): Promise<boolean> {
    try {
      const { store, capabilities } = await harnessInfo(this.#connection(placement), call);
      const { idempotentAdmissions = false, fencedAbort = false, submissionStreams = false } = capabilities;
      const known = { idempotentAdmissions, fencedAbort, submissionStreams };
      this.#remember({ placement, store, capabilities: known, at: this.#options.clock.now() });
      return true;
    } catch {
      // Not up, or not one of ours: nothing is known then, and every rule takes the careful side.
      return false;
    }
  }

  #remember(row: PlacementRow): void {
    const { at: _, ...known } = this.#known.get(row.placement) ?? { placement: row.placement };
    this.#known.set(row.placement, row);
    const { at: __, ...news } = row;
    // Said again at every start: no news, and no commit.
    if (isDeepStrictEqual(known, news)) return;
    this.#options.save(row).catch(() => {});
  }
}

const optionsOf = ({ signal, trace }: Call): CallOptions => ({
  signal,
  ...(trace === undefined ? {} : { headers: { traceparent: trace } }),
});

const noPlacement = (placement: string) => ({
  seat: 'admission',
  certainty: 'answered' as const,
  code: 'target_not_found',
  address: placement,
  attempts: 0,
  elapsedMs: 0,
  reason: `there is no placement '${placement}'`,
});
