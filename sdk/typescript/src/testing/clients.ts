/** The three HTTP clients that the evidence table is held against, each as one attempt with nothing retried. For tests only. */
import { Agent, fetch as undiciFetch } from 'undici';
import type { Attempted } from '../certainty.ts';
import { ownPool } from '../pool.ts';
import { exchange } from '../transport.ts';

/** One attempt. */
export interface Shot {
  readonly origin: string;
  readonly body: string;
  /** What the client's dispatcher is made with; absent: the client's own, so that its defaults are tried too. */
  readonly agent?: Agent.Options;
  /** Milliseconds for the whole attempt. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Shots on one socket before this one. */
  readonly warm?: number;
}

export interface Client {
  readonly name: string;
  run(shot: Shot): Promise<Attempted>;
}

/** What both fetches have in common. */
type Fetch = (url: string, init: Record<string, unknown>) => Promise<FetchAnswer>;
interface FetchAnswer {
  readonly status: number;
  readonly headers: Iterable<[string, string]>;
  text(): Promise<string>;
}

/** A client takes its socket back a moment after the answer. */
const back = () => new Promise((resolve) => setTimeout(resolve, 20));

const path = '/agents/i1/events';
const headers = { 'content-type': 'application/json' };

function byFetch(name: string, fetch: Fetch): Client {
  return {
    name,
    async run({ origin, body, agent, timeoutMs, signal, warm = 0 }) {
      const dispatcher = agent === undefined && warm === 0 ? undefined : new Agent(agent);
      const init = { method: 'POST', body, headers, redirect: 'manual', ...(dispatcher && { dispatcher }) };
      try {
        for (let shot = 0; shot < warm; shot++) {
          await (await fetch(origin + path, init)).text();
          await back();
        }
        const both = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
        return await fetched(() => fetch(origin + path, { ...init, signal: both }), signal);
      } finally {
        await dispatcher?.destroy();
      }
    },
  };
}

/** What a user of fetch knows: the status line if it came, and what was thrown. */
async function fetched(send: () => Promise<FetchAnswer>, signal: AbortSignal): Promise<Attempted> {
  let answer: FetchAnswer;
  try {
    answer = await send();
  } catch (error) {
    return { error, aborted: signal.aborted };
  }
  const response = { status: answer.status, headers: Object.fromEntries(answer.headers) };
  try {
    return { response: { ...response, body: await answer.text() } };
  } catch (error) {
    return { error, response: { ...response, bodyLost: true } };
  }
}

const ownTransport: Client = {
  name: 'the SDK’s own transport',
  async run({ origin, body, agent, timeoutMs, signal, warm = 0 }) {
    const own = agent === undefined ? ownPool() : undefined;
    const dispatcher = own?.borrow() ?? new Agent(agent);
    const request = { method: 'POST', origin, path, headers, body };
    try {
      for (let shot = 0; shot < warm; shot++) await exchange(dispatcher, request, { timeoutMs });
      return await exchange(dispatcher, request, { timeoutMs, signal });
    } finally {
      await (own?.close() ?? dispatcher.destroy());
    }
  },
};

export const clients: readonly Client[] = [
  byFetch('global fetch', fetch as unknown as Fetch),
  byFetch('undici.fetch', undiciFetch as unknown as Fetch),
  ownTransport,
];
