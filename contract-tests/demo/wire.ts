import { setTimeout as sleep } from 'node:timers/promises';
import { createParser } from 'eventsource-parser';

/** What the story needs of the wire, written against the spec alone. */
export interface Peer {
  readonly url: string;
  readonly token: string;
}

export interface FeedFrame {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const RETRY_MS = 100;

/** Asks until there is an answer: the story kills the peer on purpose. Requests that change something carry a key. */
export async function ask<T>(
  peer: Peer,
  method: string,
  path: string,
  body?: unknown,
  key?: string,
): Promise<{ status: number; body: T }> {
  for (;;) {
    try {
      const headers: Record<string, string> = { authorization: `Bearer ${peer.token}`, 'turnwire-version': '1' };
      if (body !== undefined) headers['content-type'] = 'application/json';
      if (key !== undefined) headers['idempotency-key'] = key;
      const answer = await fetch(peer.url + path, {
        method,
        headers,
        body: body === undefined ? null : JSON.stringify(body),
      });
      const text = await answer.text();
      if (answer.status !== 503)
        return { status: answer.status, body: (text === '' ? undefined : JSON.parse(text)) as T };
    } catch {
      // Down, or it went while it answered: the same request again, under the same key.
    }
    await sleep(RETRY_MS);
  }
}

/** Follows the Orchestrator's feed for as long as the story lasts, through its restarts. */
export async function follow(peer: Peer, onFrame: (frame: FeedFrame) => void, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const answer = await fetch(`${peer.url}/events`, { headers: { authorization: `Bearer ${peer.token}` }, signal });
      const parser = createParser({
        onEvent: ({ event, data }) =>
          onFrame({ type: event ?? 'message', data: JSON.parse(data) as FeedFrame['data'] }),
      });
      const decoder = new TextDecoder();
      for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>)
        parser.feed(decoder.decode(chunk, { stream: true }));
    } catch {
      // The Orchestrator is down; the next snapshot says where everything is.
    }
    if (!signal.aborted) await sleep(RETRY_MS);
  }
}
