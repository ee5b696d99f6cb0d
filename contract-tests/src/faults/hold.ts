import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { resetSocket } from './wire.ts';

/** A port at which connects are refused, and which nobody else is given. */
export interface HeldPort {
  /** The port can be listened at when this has resolved. */
  release(): Promise<void>;
}

/**
 * Holds a port without listening at it: a connection of our own comes from there. A port that was merely closed is the next
 * that the machine gives away, and whoever expects a refusal is answered by a stranger.
 */
export async function holdPort(host: string, port: number): Promise<HeldPort> {
  const server = createServer((socket) => socket.on('error', () => {}));
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const socket = connect({ host, port: (server.address() as AddressInfo).port, localAddress: host, localPort: port });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  socket.on('error', () => {});
  return {
    release: async () => {
      // By a reset, so that the port does not linger.
      await gone(socket);
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function gone(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once('close', () => resolve());
    resetSocket(socket);
  });
}
