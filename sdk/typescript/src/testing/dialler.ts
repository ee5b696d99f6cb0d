/** Dials once with every client and prints what each made of it. Started by place.ts. */
import { openSync } from 'node:fs';
import { classify } from '../certainty.ts';
import { lastOf } from '../reason.ts';
import { type Client, clients } from './clients.ts';

const [, , to = '', how] = process.argv;

async function dial(client: Client, origin: string): Promise<readonly [string, object]> {
  const { signal } = new AbortController();
  const { error } = await client.run({ origin, body: '{}', timeoutMs: 9_000, signal });
  const verdict = classify({ error });
  return [client.name, { ...verdict, last: lastOf({ aborted: false, error }, verdict) }];
}

function useUpDescriptors(): void {
  try {
    for (;;) openSync('/dev/null', 'r');
  } catch {
    // That was the last one.
  }
}

type FullQueue = (host: string, port: number) => Promise<{ port: number; close(): Promise<void> }>;
const double: { fullQueue?: FullQueue } = to.startsWith('file:') ? await import(to) : {};
const queue = await double.fullQueue?.('127.0.0.1', 0);
const origin = queue === undefined ? to : `http://127.0.0.1:${queue.port}`;
if (how === 'exhausted') {
  // What a client loads at its first dial would find no descriptor left.
  for (const client of clients) await dial(client, origin);
  useUpDescriptors();
}
const verdicts = await Promise.all(clients.map((client) => dial(client, origin)));
await queue?.close();
process.stdout.write(JSON.stringify(Object.fromEntries(verdicts)));
