import { type Faults, startFaults } from '../faults/proxy.ts';
import type { CaseOutcome } from '../run/outcome.ts';
import type { Adapter } from './adapter.ts';
import type { ClientCase } from './case.ts';
import { broken } from './invariants.ts';
import { type Peer, startPeer } from './peer/server.ts';
import type { Effects } from './peer/state.ts';
import type { AdapterResult } from './protocol.ts';
import { operationIn, type Seen } from './seen.ts';
import { messages, transcript } from './transcript.ts';
import { judge } from './verdict.ts';

/** Public on purpose: every subject is given it, and none may tell it. */
const token = 'turnwire-contract-token';

/** How long a refused port stays refused after the call was made, where its step does not say, in milliseconds. */
const refusedMs = 400;

/** Runs one case. Rejects with `SubjectError` when the subject is gone or gives no result in time. */
export async function runCase(adapter: Adapter, of: ClientCase, timeoutMs: number, seed: number): Promise<CaseOutcome> {
  const peer = await startPeer(of.peer);
  // A refused port is opened and closed by hand, in step with the calls.
  const script = {
    seed,
    steps: of.steps.filter((step) => step.on !== 'listener' || step.fault !== 'refused').map(named),
  };
  const faults = await startFaults({ upstream: peer.url, script });
  try {
    const run = new Run(adapter, of, peer, faults, timeoutMs);
    const seen = await run.seen();
    return {
      mismatches: [...judge(seen, run.of), ...broken(seen, run.of), ...peer.faults],
      trace: transcript(seen, of),
      wire: messages(seen, of),
    };
  } finally {
    await faults.close();
    await peer.close();
  }
}

/** So that the record says which step a request met. */
const named = <Step extends ClientCase['steps'][number]>(step: Step, index: number): Step => ({
  ...step,
  name: `${index}`,
});

class Run {
  readonly of: ClientCase;
  readonly #adapter: Adapter;
  readonly #peer: Peer;
  readonly #faults: Faults;
  readonly #timeoutMs: number;
  readonly #url: string;

  constructor(adapter: Adapter, of: ClientCase, peer: Peer, faults: Faults, timeoutMs: number) {
    this.#adapter = adapter;
    this.of = { ...of, steps: of.steps.map(named) };
    this.#peer = peer;
    this.#faults = faults;
    this.#timeoutMs = timeoutMs;
    this.#url = addressOf(of, faults);
  }

  async seen(): Promise<Seen> {
    try {
      for (let n = 0; n < this.of.before; n++) await this.#call();
      if (this.of.pauseMs > 0) await this.#faults.until(() => this.#hasNoticed(), this.of.pauseMs);
      return await this.#judged();
    } finally {
      if (this.#adapter.alive) await this.#adapter.call({ command: 'close', url: this.#url }, this.#timeoutMs);
    }
  }

  async #judged(): Promise<Seen> {
    const faults = this.#faults;
    const before = faults.requests.length;
    const usedBefore = new Set(faults.requests.map(({ connection }) => connection));
    const effectsBefore = { ...this.#peer.effects };
    await this.#refuseIfAsked();
    const startedAt = performance.now();
    const id = this.#adapter.nextId();
    const [result] = await Promise.all([this.#call(id), this.#cancel(id, before)]);
    const took = performance.now() - startedAt;
    // A late copy is on its way to the peer while the call is over for the subject.
    const late = () => faults.requests.every(({ fault, copies }) => fault !== 'late_copy' || copies > 0);
    await faults.until(late, this.#timeoutMs);
    const arrivals = faults.requests.slice(before).filter(({ bytes }) => bytes.length > 0);
    const effects = difference(this.#peer.effects, effectsBefore);
    return { result, arrivals, usedBefore, effects, took, url: this.#url, token };
  }

  /** A socket that was closed while it was idle is no trap any more once the subject has closed its end as well. */
  #hasNoticed(): boolean {
    const { connections } = this.#faults;
    return this.of.steps.some(({ fault }) => fault === 'closes_idle') && connections.every(({ closed }) => closed);
  }

  #call(id?: string): Promise<AdapterResult> {
    const { command, input, options } = this.of.call;
    const given = { command, url: this.#url, token, input: this.#addressed(input), ...(options && { options }) };
    return this.#adapter.call(id === undefined ? given : { ...given, id }, this.#timeoutMs);
  }

  /** `{url}` in an input is where the subject is sent. */
  #addressed(input: Readonly<Record<string, unknown>>): unknown {
    return JSON.parse(JSON.stringify(input).replaceAll('{url}', this.#url));
  }

  async #refuseIfAsked(): Promise<void> {
    const step = this.of.steps.find((each) => each.on === 'listener' && each.fault === 'refused');
    if (step?.on !== 'listener') return;
    await this.#faults.refuse();
    // For as long as the whole case, when that is asked for.
    if (step.forMs !== 0) setTimeout(() => void this.#faults.accept(), step.forMs ?? refusedMs);
  }

  async #cancel(id: string, before: number): Promise<void> {
    const { cancel } = this.of;
    if (cancel === undefined) return;
    const { arrived, nth = 1, afterMs = 0 } = cancel;
    if (arrived !== undefined) await this.#faults.until(() => this.#hasArrived(arrived, nth, before), this.#timeoutMs);
    if (afterMs > 0) await new Promise((resolve) => setTimeout(resolve, afterMs));
    await this.#adapter.call({ command: 'cancel', of: id }, this.#timeoutMs);
  }

  /** Whole, and where the upstream gets a copy it has it. */
  #hasArrived(operation: string, nth: number, before: number): boolean {
    const arrival = this.#faults.requests.slice(before).filter((each) => operationIn(each) === operation)[nth - 1];
    if (arrival?.whole !== true) return false;
    const step = this.of.steps.find((each) => each.name === arrival.step);
    const delivers = step?.on === 'request' && step.deliver === true;
    return !delivers || arrival.copies > 0;
  }
}

function addressOf(of: ClientCase, { url, port }: Faults): string {
  // RFC 6761: a name under `.invalid` never resolves.
  if (of.address === 'unresolvable') return `http://turnwire-contract.invalid:${port}`;
  return of.address === 'https' ? url.replace('http:', 'https:') : url;
}

function difference(now: Readonly<Effects>, before: Effects): Effects {
  const names = Object.keys(before) as (keyof Effects)[];
  return Object.fromEntries(names.map((name) => [name, now[name] - before[name]])) as unknown as Effects;
}
