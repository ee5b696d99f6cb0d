import { createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { admit } from './index.ts';
import { freePort, ours, type Peer, problem } from './testing/peer.ts';
import { faultOf, stage } from './testing/stage.ts';

const { peerOf, connected } = stage();
const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const taken = ours(
  202,
  { streamUrl: 'http://h/s', offset: 'a_0', submissionId: 's1' },
  { 'turnwire-store': 'store-a' },
);
const input = { name: 'coder', iid: 'i1', body: { message: 'grüße' }, key: 'k1' };

describe('admit, beforeSend', () => {
  it('TW-DUR-012: is awaited before the first byte, and the copy is the same to the byte', async () => {
    const peer = await peerOf(() => taken);
    const { connection } = connected(peer.url);
    const copies: unknown[] = [];
    const beforeSend = async (copy: unknown) => {
      copies.push(copy);
      await new Promise((resolve) => setTimeout(resolve, 30));
      expect(peer.seen).toHaveLength(0);
    };
    await admit(connection, { ...input, expectStore: 'store-a', beforeSend });
    await admit(connection, { ...input, expectStore: 'store-a' });
    expect(copies).toEqual([{ attempt: 1, expectStore: 'store-a' }]);
    const [held, plain] = peer.seen;
    expect(held?.body).toBe(plain?.body);
    expect(held?.headers).toEqual(plain?.headers);
    // The socket was given back like any other.
    expect(peer.connections()).toBe(1);
  });

  it('TW-DUR-025: is not called for a dial that comes to nothing', async () => {
    const port = await freePort();
    const { connection, clock } = connected(`http://127.0.0.1:${port}`);
    let peer: Peer | undefined;
    clock.onSleep = async (count) => {
      if (count === 2) peer = await peerOf(() => taken, port);
    };
    const attempts: number[] = [];
    await admit(connection, { ...input, beforeSend: async ({ attempt }) => void attempts.push(attempt) });
    expect(attempts).toEqual([3]);
    expect(peer?.seen).toHaveLength(1);
  });

  it('says for which store each copy is', async () => {
    const draining = problem(503, 'draining', {}, { 'turnwire-store': 'store-b' });
    const peer = await peerOf((_, count) => (count === 1 ? draining : taken));
    const { connection } = connected(peer.url);
    const stores: unknown[] = [];
    await admit(connection, { ...input, beforeSend: async ({ expectStore }) => void stores.push(expectStore) });
    expect(stores).toEqual([undefined, 'store-b']);
  });

  it('when it rejects nothing is sent, and that is what is thrown', async () => {
    const peer = await peerOf(() => taken);
    const { connection, lines } = connected(peer.url);
    const full = new Error('the disk is full');
    const beforeSend = () => Promise.reject(full);
    await expect(admit(connection, { ...input, beforeSend })).rejects.toBe(full);
    expect(peer.seen).toHaveLength(0);
    expect(lines).toEqual([]);
    // The connection is as good as new.
    expect(await admit(connection, input)).toMatchObject({ attempts: 1 });
  });

  it('a call that is aborted meanwhile sends nothing', async () => {
    const peer = await peerOf(() => taken);
    const { connection } = connected(peer.url);
    const controller = new AbortController();
    let release = (): void => {};
    const beforeSend = () => {
      controller.abort();
      return new Promise<void>((resolve) => {
        release = resolve;
      });
    };
    expect(await faultOf(admit(connection, { ...input, beforeSend }, { signal: controller.signal }))).toMatchObject({
      code: 'aborted',
    });
    release();
    await admit(connection, { ...input, key: 'k2' });
    expect(peer.seen.map(({ headers }) => headers['idempotency-key'])).toEqual(['k2']);
  });

  it('TW-CER-003: a socket that goes before it resolves proves that nothing was delivered', async () => {
    const bytes: Buffer[] = [];
    let socket: Socket | undefined;
    const server = createServer((one) => {
      socket = one.on('data', (data) => bytes.push(data)).on('error', () => {});
    });
    const port = await new Promise<number>((resolve) =>
      server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port)),
    );
    closing.push(
      () => void server.close(),
      () => void socket?.destroy(),
    );
    const { connection } = connected(`http://127.0.0.1:${port}`);
    const beforeSend = async () => {
      while (socket === undefined) await new Promise((resolve) => setImmediate(resolve));
      socket.resetAndDestroy();
      await new Promise((resolve) => setTimeout(resolve, 30));
    };
    const fault = await faultOf(admit(connection, { ...input, beforeSend }, { windowMs: 0 }));
    expect(fault).toMatchObject({ certainty: 'never_delivered', code: 'unreachable' });
    expect(bytes).toEqual([]);
  });
});
