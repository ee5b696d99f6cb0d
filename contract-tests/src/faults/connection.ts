import type { Socket } from 'node:net';
import { acts } from './acts.ts';
import type { Chooser } from './choose.ts';
import { Exchange } from './exchange.ts';
import { Message } from './http1.ts';
import type { FaultRecord } from './record.ts';
import type { Upstream } from './upstream.ts';
import { Wire } from './wire.ts';

/** No method begins so. */
const notHttp = /^[^A-Za-z\r\n]/;
const badRequest = 'HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n';

/** What a connection is served with. */
export interface Serving {
  readonly upstream: Upstream;
  readonly chooser: Chooser;
  readonly record: FaultRecord;
  /** Sockets to the upstream. */
  readonly owned: Set<Socket>;
  /** Refuses everybody for so many milliseconds. */
  down(ms: number): void;
}

/** Serves one connection to its end, request by request. */
export async function serve(socket: Socket, serving: Serving): Promise<void> {
  const { record, chooser } = serving;
  const step = chooser.connection();
  const connection = record.connected(step?.fault ?? 'pass');
  socket.setNoDelay(true);
  const wire = new Wire(socket);
  void wire.closed.then(() => record.closed(connection));
  if (step?.fault === 'reset_on_connect') return wire.reset();
  for (;;) {
    const first = await wire.next();
    if (first === undefined) return wire.end('fin');
    wire.unread(first);
    const parts = { wire, connection, request: Message.request(), random: chooser.random };
    const exchange = new Exchange({ ...parts, record, upstream: serving.upstream, owned: serving.owned });
    if ((await serveOne(exchange, serving, step?.fault === 'silent')) === 'over') return;
  }
}

async function serveOne(exchange: Exchange, serving: Serving, silent: boolean): Promise<'keep' | 'over'> {
  const { arrival } = exchange;
  while (exchange.request.startLine === undefined) {
    const more = await exchange.more();
    // What never becomes a request (a TLS hello, say) is kept as it came, and refused as a plain server does it.
    const hopeless =
      exchange.request.startLine === undefined && notHttp.test(exchange.arrival.bytes.toString('latin1'));
    if (more !== undefined && !hopeless) continue;
    exchange.seal();
    if (hopeless) await exchange.wire.write(badRequest);
    exchange.wire.end('fin');
    return 'over';
  }
  const chosen = serving.chooser.request(arrival.method, arrival.target);
  if (chosen !== undefined) exchange.step = chosen;
  if (silent) exchange.step = { on: 'request', fault: 'silent' };
  const { name, fault, downMs } = exchange.step;
  arrival.fault = fault;
  if (name !== undefined) arrival.step = name;
  if (exchange.request.whole) exchange.seal();
  const after = await acts[fault](exchange);
  exchange.seal();
  if (downMs === undefined) return after;
  serving.down(downMs);
  return 'over';
}
