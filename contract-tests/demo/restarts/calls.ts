/** Calls of agents over the wire, as a program that knows the spec alone makes them; none is sent twice. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Peer } from '../wire.ts';

export interface Execution {
  readonly executionId: string;
  readonly status: string;
  readonly category?: string;
  readonly result?: { readonly echo?: string };
  readonly placement: string;
  readonly instanceId?: string;
  readonly agent: string;
  readonly iid?: string;
  readonly startedAt: string;
  readonly endedAt?: string;
  readonly timeline: readonly { readonly status: string; readonly at: string }[];
}

/** What came back, and how long it took. */
export interface Answered {
  readonly status: number;
  readonly code?: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly ms: number;
}

export interface CallOptions {
  /** The model is asked with it, and the answer has it: what arrived where is counted by it. */
  readonly marker: string;
  readonly prefer?: string;
  readonly usageContext?: 'dev' | 'ci' | 'production';
}

let calls = 0;

/** A text that no other call has. */
export const newMarker = (what: string): string => `call-${what}-${++calls}`;

export class Caller {
  /** Executions that calls have made, by what was answered: there must be no record but these. */
  readonly made = new Set<string>();

  constructor(readonly peer: Peer) {}

  async ask(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Answered> {
    const began = performance.now();
    const response = await fetch(this.peer.url + path, {
      method,
      headers: {
        authorization: `Bearer ${this.peer.token}`,
        'turnwire-version': '1',
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body ? JSON.stringify(body) : null,
    });
    const text = await response.text();
    const code = response.headers.get('turnwire-code');
    return {
      status: response.status,
      ...(code === null ? {} : { code }),
      body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>,
      ms: performance.now() - began,
    };
  }

  async call(target: string, { marker, prefer, usageContext = 'ci' }: CallOptions): Promise<Answered> {
    const headers: Record<string, string> = prefer === undefined ? {} : { prefer };
    const answered = await this.ask(
      'POST',
      '/executions',
      { target, input: `Work on ${marker}.`, usageContext },
      headers,
    );
    if (typeof answered.body.executionId === 'string') this.made.add(answered.body.executionId);
    return answered;
  }

  /** The record at its end, however the call was answered. @throws Error when there is none, or it does not end in time */
  async end(answered: Answered, withinMs = 150_000): Promise<Execution> {
    const { executionId } = answered.body;
    if (typeof executionId !== 'string') throw new Error(`it has no execution: ${text(answered)}`);
    const until = Date.now() + withinMs;
    while (Date.now() < until) {
      // Reading again is harmless, also while the Orchestrator is away.
      const execution = await this.read(executionId, 10).catch(() => sleep(200));
      if (execution && TERMINAL.has(execution.status)) return execution;
    }
    throw new Error(`${executionId} did not end`);
  }

  async read(executionId: string, wait = 0): Promise<Execution> {
    const answered = await this.ask('GET', `/executions/${executionId}?wait=${wait}`);
    if (answered.status !== 200) throw new Error(`reading ${executionId}: ${text(answered)}`);
    return answered.body as unknown as Execution;
  }

  /** Every record, or those of one node. */
  async list(filter = ''): Promise<Execution[]> {
    const found: Execution[] = [];
    for (let cursor = ''; ; ) {
      const { body } = await this.ask('GET', `/executions?limit=100${filter}${cursor}`);
      found.push(...(body.items as Execution[]));
      if (typeof body.nextCursor !== 'string') return found;
      cursor = `&cursor=${encodeURIComponent(body.nextCursor)}`;
    }
  }
}

export const TERMINAL: ReadonlySet<string> = new Set(['succeeded', 'failed', 'cancelled', 'timed_out']);

/** An answer in a few words. */
export function text({ status, code, body }: Answered): string {
  const category = typeof body.category === 'string' ? `, ${body.category}` : '';
  return `${status} ${code ?? body.status ?? ''}${category}`.trim();
}

/** How long an execution had a status, in milliseconds; undefined when it never had it. */
export function spent({ timeline }: Execution, status: string): number | undefined {
  const from = timeline.findIndex((entry) => entry.status === status);
  const [entry, next] = [timeline[from], timeline[from + 1]];
  return entry && next ? Date.parse(next.at) - Date.parse(entry.at) : undefined;
}
