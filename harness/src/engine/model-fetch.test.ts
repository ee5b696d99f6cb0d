import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent, fetch, getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { patientFetch } from './model-fetch.ts';

/** Longer than the platform's fetch is made to wait in this test; undici looks at its timers about once a second. */
const SILENT_MS = 2_600;

let url: string;
const usual = getGlobalDispatcher();
const server = createServer((_, response) => {
  setTimeout(() => {
    response.write('head ');
    setTimeout(() => response.end('tail'), SILENT_MS);
  }, SILENT_MS);
});
beforeEach(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterEach(() => {
  setGlobalDispatcher(usual);
  server.closeAllConnections();
  server.close();
});

it('waits for a model that is silent for longer than the platform would, before and after its headers', async () => {
  setGlobalDispatcher(new Agent({ headersTimeout: 500, bodyTimeout: 500 }));
  const [platform, patient] = await Promise.allSettled([
    fetch(url).then((response) => response.text()),
    patientFetch()(url).then((response) => response.text()),
  ]);
  expect(platform).toMatchObject({ status: 'rejected', reason: { cause: { code: 'UND_ERR_HEADERS_TIMEOUT' } } });
  expect(patient).toEqual({ status: 'fulfilled', value: 'head tail' });
});

it('gives a connection up that is silent for too long', async () => {
  await expect(patientFetch(500)(url)).rejects.toMatchObject({ cause: { code: 'UND_ERR_HEADERS_TIMEOUT' } });
});

it('takes every kind of signal, and ends with it', async () => {
  const stop = new AbortController();
  const asked = patientFetch()(url, { signal: AbortSignal.any([stop.signal, AbortSignal.timeout(60_000)]) });
  setTimeout(() => stop.abort(new Error('enough')), 50);
  await expect(asked).rejects.toThrow('enough');
  await expect(patientFetch()(url, { signal: AbortSignal.abort(new Error('before')) })).rejects.toThrow('before');
});
