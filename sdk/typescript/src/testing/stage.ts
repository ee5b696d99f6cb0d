/** Peers and connections of one test file, ended after each test. */
import { afterEach, expect } from 'vitest';
import { type Connection, type ConnectionOptions, connect, type RoutabilityLine, TurnwireFault } from '../index.ts';
import { type HandClock, handClock } from './hand-clock.ts';
import { type Peer, type Script, startPeer } from './peer.ts';

export interface Connected {
  readonly connection: Connection;
  readonly clock: HandClock;
  readonly lines: RoutabilityLine[];
}

export interface Stage {
  peerOf(script: Script, port?: number): Promise<Peer>;
  /** A connection under a hand clock, with draws of 0, so that each rung is its floor. */
  connected(baseUrl: string, options?: Partial<ConnectionOptions>): Connected;
}

export function stage(): Stage {
  const peers: Peer[] = [];
  const connections: Connection[] = [];
  afterEach(async () => {
    for (const each of connections.splice(0)) await each.close();
    for (const each of peers.splice(0)) await each.close();
  });
  return {
    async peerOf(script, port) {
      const peer = await startPeer(script, port);
      peers.push(peer);
      return peer;
    },
    connected(baseUrl, options = {}) {
      const lines: RoutabilityLine[] = [];
      const clock = handClock();
      const log = (line: RoutabilityLine) => lines.push(line);
      const connection = connect({ baseUrl, clock, random: () => 0, log, token: 'secret-token', ...options });
      connections.push(connection);
      return { connection, clock, lines };
    },
  };
}

/** The fault that a call ends with. */
export async function faultOf(promise: Promise<unknown>): Promise<TurnwireFault> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(TurnwireFault);
  return error as TurnwireFault;
}
