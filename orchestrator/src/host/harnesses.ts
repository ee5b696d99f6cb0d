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
  harnessInfo,
  type Retry,
  type RoutabilityLine,
  TurnwireFault,
  type WaitOptions,
  wait,
} from '@turnwire/sdk';
import { LEARN_PAUSE_MS } from '../limits.ts';
import type { NodeRegistry } from '../nodes/port.ts';
import type { KnownPlacement } from '../run/draft.ts';
import type { PlacementRow } from '../run/rows.ts';
import type { Settlement } from '../run/state.ts';
import type { HostClock } from './clock.ts';
import { Connections } from './connections.ts';
import { surfacing } from './node-admission.ts';
import { followNode, type StreamCall } from './node-stream.ts';
import type { Placement, Placements } from './placements.ts';

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
  /** What is left of the seat's window, in milliseconds; all of it when absent. */
  windowMs?: number;
}

/** What came of an admission, and where it was sent. */
export interface AdmitAnswer {
  admission: { streamUrl: string; offset: string; submissionId: string };
  store?: string;
  address: string;
  /** Of a node: its process by its record. */
  instanceId?: string;
}

/** Where a stream is; `address` when the Admission was made by a node. */
export interface StreamPlace {
  path: string;
  offset: string;
  address?: string;
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
  /** Where the Admission was made, if a node made it. */
  address?: string;
}

/** The Harness's side as the host's effects use it. */
export interface Harnesses {
  known(placement: string): KnownPlacement;
  /** @throws TurnwireFault; NotTakenByNode when the node's record decides what follows */
  admit(request: AdmitRequest, call: Call): Promise<AdmitAnswer>;
  /** Never gives up by itself (TW-RUN-021). `onAnswer`: the stream answered, whatever it had to say. @throws TurnwireFault */
  wait(placement: string, at: StreamPlace, call: Call, onAnswer?: () => void): Promise<Settlement>;
  /** Resolves when it was acknowledged. @throws TurnwireFault */
  abort(request: AbortRequest, call: Call): Promise<void>;
}

export interface SdkHarnessesOptions {
  placements: Placements;
  /** The nodes among them. */
  nodes?: Pick<NodeRegistry, 'get'>;
  /** What was known at the last stop. */
  remembered: readonly PlacementRow[];
  clock: HostClock;
  /** Saves what is newly known; its failure costs nothing but that knowledge. */
  save: (row: PlacementRow) => Promise<unknown>;
  connection?: Omit<ConnectionOptions, 'baseUrl' | 'token'>;
  random?: () => number;
}

export class SdkHarnesses implements Harnesses {
  readonly #options: SdkHarnessesOptions;
  readonly #known = new Map<string, PlacementRow>();
  readonly #connections: Connections;
  readonly #asking = new Set<string>();
  readonly #closed = new AbortController();
  /** Conversations whose admission was handed back to the ledger: the line about it is written when it is over. */
  readonly #handedBack = new Set<string>();

  constructor(options: SdkHarnessesOptions) {
    this.#options = options;
    const log = (line: RoutabilityLine) => (this.#isTold(line) ? options.connection?.log?.(line) : undefined);
    this.#connections = new Connections({ ...options.connection, log });
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
    const { store, capabilities } = this.#of(placement) ?? {};
    const node = this.#options.nodes?.get(placement);
    return {
      ...(at === undefined ? {} : { baseUrl: at.baseUrl }),
      ...(store === undefined ? {} : { store }),
      ...(capabilities === undefined ? {} : { fencedAbort: capabilities.fencedAbort }),
      ...(node === undefined ? {} : { node }),
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
    const { placement, name, iid, body, key, store, inDoubt, onStoreChanged, windowMs } = request;
    const node = this.#options.nodes?.get(placement);
    const { baseUrl: address } = this.#at(placement);
    const idempotentAdmissions = this.#of(placement)?.capabilities?.idempotentAdmissions ?? false;
    const beforeSend = ({ expectStore }: { expectStore: string | undefined }) => request.beforeSend(expectStore);
    const input = { name, iid, body, key, inDoubt, idempotentAdmissions, onStoreChanged, beforeSend };
    const surfaces = node === undefined ? undefined : surfacing(node, inDoubt, call.signal);
    const onRetry = (retry: Retry) => {
      surfaces?.onRetry(retry);
      if (surfaces?.refusal()) this.#handedBack.add(iid);
      else request.onRetry(retry.certainty);
    };
    const options = { ...optionsOf({ ...call, signal: surfaces?.signal ?? call.signal }), onRetry };
    try {
      const known = store === undefined ? input : { ...input, expectStore: store };
      const admitted = await this.#use(placement, (connection) =>
        admit(connection, known, windowMs === undefined ? options : { ...options, windowMs }),
      );
      this.#saw(placement, admitted.store);
      return {
        admission: admitted.admission,
        address,
        ...(admitted.store === undefined ? {} : { store: admitted.store }),
        ...(node === undefined ? {} : { instanceId: node.instanceId }),
      };
    } catch (error) {
      const refusal = call.signal.aborted ? undefined : surfaces?.refusal();
      if (refusal) throw refusal;
      if (error instanceof TurnwireFault && error.certainty === 'answered') this.#saw(placement, undefined);
      throw error;
    } finally {
      surfaces?.end();
      this.#handedBack.delete(iid);
    }
  }

  async wait(placement: string, at: StreamPlace, call: Call, onAnswer?: () => void): Promise<Settlement> {
    const { path, offset, address } = at;
    const options = { ...optionsOf(call), ...(onAnswer && { onAnswer }) };
    if (address === undefined) return this.#use(placement, (connection) => settlementOf(connection, at, options));
    const ports = {
      current: () => this.#options.placements.get(placement)?.baseUrl,
      wait: (baseUrl: string, where: StreamPlace, { signal, onRetry }: StreamCall) =>
        this.#use(placement, (connection) => settlementOf(connection, where, { ...options, signal, onRetry }), baseUrl),
      clock: this.#options.clock,
      random: this.#options.random ?? Math.random,
    };
    return followNode({ path, offset, address }, ports, call.signal);
  }

  /** A process that the node has left behind is told first: its turn runs there as long as it answers. */
  async abort(request: AbortRequest, call: Call): Promise<void> {
    const { placement, address, ...of } = request;
    const fencedAbort = this.#of(placement)?.capabilities?.fencedAbort ?? false;
    const send = (baseUrl?: string) =>
      this.#use(placement, (connection) => abort(connection, { ...of, fencedAbort }, optionsOf(call)), baseUrl);
    const current = this.#at(placement).baseUrl;
    if (address === undefined || address === current) return void (await send());
    try {
      await send(address);
    } catch (error) {
      if (!(error instanceof TurnwireFault) || error.certainty !== 'never_delivered') throw error;
      await send();
    }
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#connections.close();
  }

  #isTold({ seat, url }: RoutabilityLine): boolean {
    return seat !== 'admission' || !this.#handedBack.has(decodeURIComponent(url.slice(url.lastIndexOf('/') + 1)));
  }

  #at(placement: string): Placement {
    const at = this.#options.placements.get(placement);
    if (!at) throw new TurnwireFault(noPlacement(placement));
    return at;
  }

  #use<T>(placement: string, work: (connection: Connection) => Promise<T>, baseUrl?: string): Promise<T> {
    const at = this.#at(placement);
    const there = { baseUrl: baseUrl ?? at.baseUrl, token: at.token };
    return this.#connections.use(placement, there, work, at.baseUrl);
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
      const { store, capabilities } = await this.#use(placement, (connection) => harnessInfo(connection, call));
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

async function settlementOf(connection: Connection, at: StreamPlace, options: WaitOptions): Promise<Settlement> {
  const { outcome, error } = await wait(connection, { streamUrl: at.path, offset: at.offset }, options).settlement();
  return error === undefined ? { outcome } : { outcome, error };
}

const noPlacement = (placement: string) => ({
  seat: 'admission',
  certainty: 'answered' as const,
  code: 'target_not_found',
  address: placement,
  attempts: 0,
  elapsedMs: 0,
  reason: `there is no placement '${placement}'`,
});
