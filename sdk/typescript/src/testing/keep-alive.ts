/** The race of a pooled socket with a server that closes it after 5 s idle. For tests only. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Agent } from 'undici';
import { connect, type Delivered, deliver, type RoutabilityLine } from '../index.ts';

/** Milliseconds between two requests of a connection: around the moment at which the server closes its socket. */
const intervals = Array.from({ length: 21 }, (_, at) => 4_990 + at);

export interface Race {
  readonly outcomes: readonly Delivered[];
  readonly lines: readonly RoutabilityLine[];
  /** The pick of each request that arrived. */
  readonly arrived: readonly string[];
  readonly sent: readonly string[];
}

/** Sends picks to an Orchestrator without client ids, none of which may be sent twice; one connection for each interval. */
export async function race(posts: number, dispatcher?: () => Agent): Promise<Race> {
  // Another process, so that it closes a socket while we are looking elsewhere.
  const server = fork(fileURLToPath(new URL('keep-alive-server.ts', import.meta.url)), {
    execArgv: ['--conditions=turnwire-source', '--import', 'tsx'],
  });
  const [port] = (await once(server, 'message')) as [number];
  const lines: RoutabilityLine[] = [];
  const log = (line: RoutabilityLine) => lines.push(line);
  const sent: string[] = [];
  const runs = intervals.map(async (ms) => {
    const agent = dispatcher?.();
    const connection = connect({ baseUrl: `http://127.0.0.1:${port}`, log, ...(agent && { dispatcher: agent }) });
    const outcomes: Delivered[] = [];
    for (let post = 0; post < posts; post++) {
      if (post > 0) await new Promise((resolve) => setTimeout(resolve, ms));
      const event = `${ms}_${post}`;
      sent.push(event);
      outcomes.push(await deliver(connection, { iid: 'i', turnId: 't', event, input: {} }));
    }
    await connection.close();
    await agent?.close();
    return outcomes;
  });
  const outcomes = (await Promise.all(runs)).flat();
  server.send('what arrived?');
  const [arrived] = (await once(server, 'message')) as [string[]];
  server.disconnect();
  return { outcomes, lines, arrived, sent };
}
