/**
 * Calls, a node and its processes in virtual time: the real steps of the ledger, of the wait and of the node's health, with everything
 * around them drawn from a seed. What happens at the same moment happens in any order.
 */
import { type NodeState, step as nodeStep, restored } from '../nodes/health.ts';
import type { HostRefusal } from '../run/refusal.ts';
import { registrationOf } from './nodes.fixture.ts';
import { SimulatedCall } from './simulated-call.fixture.ts';
import { admissible } from './target.ts';

export const GRACE_MS = 15_000;
export const NODE = 'laptop';

/** Uniform in [0, 1), the same for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

interface Due {
  at: number;
  tie: number;
  run: () => void;
}

const isBefore = (a: Due, b: Due): boolean => a.at < b.at || (a.at === b.at && a.tie < b.tie);

export interface Submission {
  key: string;
  iid: string;
  turnId: string;
  process: Process;
  settled?: { outcome: 'completed' | 'failed' | 'aborted'; error?: { code: string; message: string } };
}

/** One process of the node, on an address of its own or on that of the one before it. */
export interface Process {
  address: string;
  instanceId: string;
  isListening: boolean;
  isDraining: boolean;
  isGone: boolean;
}

export class Simulation {
  now = 1_000_000_000;
  readonly random: () => number;
  readonly calls: SimulatedCall[] = [];
  /** What its data folder holds: one for all processes of the node. */
  readonly submissions: Submission[] = [];
  readonly processes: Process[] = [];
  node: NodeState | undefined;
  isUp = true;
  deployment: 'resident' | 'serverless' = 'resident';
  /** How long an agent works. */
  workMs = 500;
  /** How often an admission is lost after it was taken, or before. */
  lossy = 0;
  /** The next one last. */
  readonly #queue: Due[] = [];
  #instances = 0;

  constructor(seed: number) {
    this.random = seeded(seed);
    this.#everyMs(10_000, () => this.#probe());
    this.#everyMs(5_000, () => this.#sweep());
  }

  at(ms: number, run: () => void): void {
    const due = { at: this.now + Math.max(0, ms), tie: this.random(), run };
    let place = this.#queue.length;
    while (place > 0 && isBefore(this.#queue[place - 1] as Due, due)) place -= 1;
    this.#queue.splice(place, 0, due);
  }

  /** Lets time pass; what is due at one moment comes in an order of the seed's. */
  advance(ms: number): void {
    const until = this.now + ms;
    for (let next = this.#queue.at(-1); next !== undefined && next.at <= until; next = this.#queue.at(-1)) {
      this.#queue.pop();
      this.now = Math.max(this.now, next.at);
      next.run();
    }
    this.now = until;
  }

  /** A process starts, registers and heartbeats; it listens at once, or after `listensAfterMs`. */
  start(address = `http://node:${this.processes.length}`, listensAfterMs = 0): Process {
    this.#instances += 1;
    const process = {
      address,
      instanceId: `i${this.#instances}`,
      isListening: false,
      isDraining: false,
      isGone: false,
    };
    this.processes.push(process);
    const listen = () => {
      process.isListening = !process.isGone;
      // What was running when the last process died is over with that.
      for (const one of this.submissions)
        if (!one.settled && one.process.isGone)
          one.settled = { outcome: 'failed', error: { code: 'harness_restarted', message: 'restarted' } };
    };
    if (listensAfterMs === 0) listen();
    else this.at(listensAfterMs, listen);
    this.#register(process);
    return process;
  }

  stop(process: Process): void {
    process.isGone = true;
    process.isListening = false;
  }

  drain(process: Process, thenGoneMs: number): void {
    process.isDraining = true;
    this.at(thenGoneMs, () => this.stop(process));
  }

  /** @returns the call, or the code that it was refused with: there is no record then */
  call(): SimulatedCall | string {
    try {
      admissible({ get: () => this.node?.record }, NODE, 'echo');
    } catch (error) {
      return (error as HostRefusal).code;
    }
    const call = new SimulatedCall(this, this.calls.length);
    this.calls.push(call);
    return call;
  }

  /** SIGKILL of the Orchestrator, and a start on what it had committed. */
  kill(awayMs: number): void {
    this.isUp = false;
    for (const call of this.calls) call.forget();
    this.at(awayMs, () => {
      this.isUp = true;
      if (this.node) this.node = restored(JSON.parse(JSON.stringify(this.node.record)), this.now + 60_000);
      for (const call of this.calls) call.restore();
    });
  }

  listening(address: string | undefined): Process | undefined {
    return this.processes.find((one) => one.isListening && one.address === address);
  }

  isAnswered(): boolean {
    return this.processes.some(({ isListening }) => isListening);
  }

  demote(seen: { instanceId: string; moves: number }): void {
    this.#news({ type: 'demote', seen });
  }

  admit(call: { key: string; iid: string; turnId: string }, process: Process): Submission {
    const known = this.submissions.find(({ key }) => key === call.key);
    if (known) return known;
    const submission: Submission = { ...call, process };
    this.submissions.push(submission);
    return submission;
  }

  #register(process: Process): void {
    if (process.isGone) return;
    if (!this.isUp) {
      this.at(250, () => this.#register(process));
      return;
    }
    const registration = registrationOf(process.address, {
      instanceId: process.instanceId,
      store: 'disk',
      deployment: this.deployment,
    });
    this.#news({ type: 'register', nodeId: NODE, registration });
    this.#beat(process);
  }

  #beat(process: Process): void {
    if (process.isGone) return;
    if (this.isUp) {
      const lifecycle = process.isDraining ? 'draining' : 'ready';
      this.#news({ type: 'heartbeat', instanceId: process.instanceId, lifecycle });
    }
    this.at(5_000, () => this.#beat(process));
  }

  #news(event: Parameters<typeof nodeStep>[1]): void {
    const { state, isChanged } = nodeStep(this.node, event, this.now);
    if (state) this.node = state;
    if (isChanged) for (const call of this.calls) call.nodeChanged();
  }

  #probe(): void {
    const record = this.node?.record;
    if (!record || !this.isUp) return;
    const { instanceId, moves, baseUrl } = record;
    const at = this.now;
    const isGood = this.listening(baseUrl) !== undefined;
    this.at(100, () => this.isUp && this.#news({ type: 'probed', isGood, seen: { instanceId, moves }, at }));
    this.#news({ type: 'lease' });
  }

  #sweep(): void {
    if (this.isUp) for (const call of this.calls) call.sweep();
  }

  #everyMs(ms: number, run: () => void): void {
    this.at(ms, () => {
      run();
      this.#everyMs(ms, run);
    });
  }
}
