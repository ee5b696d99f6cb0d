import { channel } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcp } from 'node:net';
import { Agent } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type SentWatch, watchSent } from './sent.ts';

describe('whether a request was written, by what undici itself announces', () => {
  let watch: SentWatch;
  let agent: Agent;
  beforeEach(() => {
    watch = watchSent();
    agent = new Agent();
  });
  afterEach(async () => {
    watch.close();
    await agent.destroy();
  });

  /** Dispatches, waits for the end, and tells whether it was written. */
  const ask = (port: number) => {
    let sent = () => false;
    return new Promise<boolean>((resolve) => {
      const end = () => resolve(sent());
      const handler = { onRequestStart() {}, onResponseStart() {}, onResponseEnd: end, onResponseError: end };
      const options = { origin: `http://127.0.0.1:${port}`, path: '/', method: 'GET' } as const;
      sent = watch.watch(() => agent.dispatch(options, handler));
    });
  };
  const port = (server: { address(): unknown }) => (server.address() as AddressInfo).port;

  it('a refused connection: not written; a destroyed one: written', async () => {
    const server = createTcp((socket) => socket.once('data', () => socket.destroy())).listen(0, '127.0.0.1');
    await once(server, 'listening');
    expect(await ask(port(server))).toBe(true);
    const dead = port(server);
    server.close();
    await once(server, 'close');
    expect(await ask(dead)).toBe(false);
  });

  it('each request by itself, also where two run at once', async () => {
    const server = createServer((_, response) => response.end('x')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    expect(await Promise.all([ask(port(server)), ask(1), ask(port(server))])).toEqual([true, false, true]);
    server.closeAllConnections();
    server.close();
  });

  it('a request that undici never announced counts as written: doubt is no proof', () => {
    expect(watch.watch(() => undefined)()).toBe(true);
  });

  it('of several requests that one dispatch announces, the first', () => {
    const [first, other] = [{}, {}];
    const sent = watch.watch(() => {
      channel('undici:request:create').publish({ request: first });
      channel('undici:request:create').publish({ request: other });
    });
    channel('undici:client:sendHeaders').publish({ request: other });
    expect(sent()).toBe(false);
    channel('undici:client:sendHeaders').publish({ request: first });
    expect(sent()).toBe(true);
  });
});
