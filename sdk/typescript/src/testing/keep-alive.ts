/** The race of a pooled socket with a server that closes it after 5 s idle. For tests only. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Agent } from 'undici';
import { connect, type Delivered, deliver, protocol, type RoutabilityLine } from '../index.ts';

/** Milliseconds after which Node's server closes an idle socket, unless it is told otherwise. */
const serverIdleMs = 5_000;
/** Milliseconds around that moment at which the next request goes out. */
const around = [-10, -6, -3, -1, 0, 1, 3, 6, 10];

export interface Race {
  readonly outcomes: readonly Delivered[];
  readonly lines: readonly RoutabilityLine[];
  /** How often each pick arrived, by its event. */
  readonly arrived: ReadonlyMap<string, number>;
  readonly sent: number;
}

/** Sends picks, each of which must not be sent twice, on connections that were idle for about as long as the server waits. */
export async function race(posts: number, dispatcher?: () => Agent): Promise<Race> {
  const arrived = new Map<string, number>();
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const piece of request) text += piece;
    const { event } = JSON.parse(text) as { event: string };
    arrived.set(event, (arrived.get(event) ?? 0) + 1);
    const receipt = { status: 'delivered', deliveryId: 'd', event, moved: true, turnComplete: false, allowed: [] };
    response.setHeader(protocol.headers.version, protocol.version).end(JSON.stringify(receipt));
  });
  server.keepAliveTimeout = serverIdleMs;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const lines: RoutabilityLine[] = [];
  const log = (line: RoutabilityLine) => lines.push(line);
  const runs = around.map(async (offset) => {
    const agent = dispatcher?.();
    const connection = connect({ baseUrl, log, ...(agent && { dispatcher: agent }) });
    const outcomes: Delivered[] = [];
    for (let post = 0; post < posts; post++) {
      if (post > 0) await new Promise((resolve) => setTimeout(resolve, serverIdleMs + offset));
      outcomes.push(await deliver(connection, { iid: 'i', turnId: 't', event: `${offset}_${post}`, input: {} }));
    }
    await connection.close();
    await agent?.close();
    return outcomes;
  });
  const outcomes = (await Promise.all(runs)).flat();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  return { outcomes, lines, arrived, sent: around.length * posts };
}
