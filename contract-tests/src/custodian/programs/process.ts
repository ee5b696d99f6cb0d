/** What shows from outside of the process: its addresses and its log. */
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Program } from '../programs.ts';

/** Milliseconds in which a machine says of its own address that nobody listens there. */
const connectMs = 2_000;

function connects(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const done = (made: boolean) => {
      socket.destroy();
      resolve(made);
    };
    socket.setTimeout(connectMs, () => done(false));
    socket.once('connect', () => done(true));
    socket.once('error', () => done(false));
  });
}

/** No other address of this machine takes a connection. */
export const loopbackAlone: Program = async (in_) => {
  const port = Number(new URL(in_.host.url).port);
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  for (const { address, internal, scopeid } of addresses) {
    if (internal || scopeid) continue;
    if (await connects(address, port)) in_.wrong(`listens on ${address}`, 'listen on loopback alone', 'TW-CUS-020');
  }
};

export const logIsClean: Program = async (in_) => {
  for (const secret of ['body-of-the-kit', 'query-of-the-kit', 'cookie-of-the-kit'])
    if (in_.host.written.includes(secret)) in_.wrong(`wrote ${secret} to its log`, 'keep it out', 'TW-CUS-022');
};
