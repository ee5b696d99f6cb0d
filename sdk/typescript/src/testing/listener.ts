/** A peer of raw bytes, plain or behind TLS, that counts what it read of requests. For tests only. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';

/** What the peer does with a connection, and when. */
export interface Behaviour {
  /** Waits for that before it does anything; `request`: all of one, head and body. */
  readonly after: 'connection' | 'first_byte' | 'request';
  readonly say?: string;
  readonly end: 'fin' | 'rst' | 'stall' | 'keep';
  /** The behaviour of earlier requests on the same connection. */
  readonly first?: string;
}

export interface Listener {
  readonly port: number;
  /** Bytes of requests that were read, TLS taken off. */
  read(): number;
  /** Whole requests that were read. */
  requests(): number;
  close(): Promise<void>;
}

export async function listener(behaviour: Behaviour, tls?: TlsOptions): Promise<Listener> {
  const sockets = new Set<Socket>();
  let read = 0;
  let requests = 0;
  const serve = (socket: Socket) => {
    let text = '';
    let served = 0;
    socket.on('error', () => {});
    if (behaviour.after === 'connection') return act(socket, behaviour);
    socket.on('data', (chunk) => {
      read += chunk.length;
      if (behaviour.after === 'first_byte') return act(socket, behaviour);
      text += chunk.toString('latin1');
      const length = wholeLength(text);
      if (length === undefined) return;
      text = text.slice(length);
      requests++;
      if (behaviour.first !== undefined && served++ === 0) socket.write(behaviour.first);
      else act(socket, behaviour);
    });
  };
  const server: Server = tls === undefined ? createServer(serve) : createTlsServer(tls, serve);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    read: () => read,
    requests: () => requests,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function act(socket: Socket, { say, end }: Behaviour): void {
  const finish = () => {
    if (end === 'rst') socket.resetAndDestroy();
    if (end === 'fin') socket.end();
  };
  if (say === undefined) finish();
  else socket.write(say, 'latin1', finish);
}

/** Characters of the first request of a text, once all of it is there. */
function wholeLength(text: string): number | undefined {
  const head = text.indexOf('\r\n\r\n');
  if (head < 0) return undefined;
  const [, length = '0'] = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, head + 2)) ?? [];
  const end = head + 4 + Number(length);
  return text.length >= end ? end : undefined;
}
