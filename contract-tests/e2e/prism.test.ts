import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type DocumentName, documentNames } from '../prism/documents.ts';
import { documentedExchanges } from './documented.ts';
import { PrismWatch } from './prism.ts';
import { type Exchange, Recorder } from './recorder.ts';

const watches = {} as Record<DocumentName, PrismWatch>;
beforeAll(async () => {
  for (const document of documentNames) watches[document] = await PrismWatch.of(document);
});

describe.each(documentNames)('the watch over the %s', (document) => {
  const exchanges = documentedExchanges(document);

  it.each(exchanges.map((exchange) => [exchange.name, exchange] as const))('passes %s', async (_, exchange) => {
    expect(await watches[document].check(exchange)).toEqual([]);
  });

  const firsts = [...new Map(exchanges.map((exchange) => [exchange.operation, exchange])).values()];
  it.each(firsts.map((exchange) => [exchange.operation, exchange] as const))(
    '%s: has no other status',
    async (_, it) => {
      for (const status of [206, 302, 418, 599]) {
        const violations = await watches[document].check({ ...it, status });
        expect(violations, `${status}`).toContainEqual(
          expect.objectContaining({ side: 'response', message: expect.stringContaining('status code') }),
        );
      }
    },
  );

  const replies = exchanges.filter(({ responseHeaders }) => responseHeaders['content-type'] !== undefined);
  it.each(replies.map((reply) => [reply.name, reply] as const))('%s: needs our version', async (_, reply) => {
    const { 'turnwire-version': __, ...responseHeaders } = reply.responseHeaders;
    expect(await watches[document].check({ ...reply, responseHeaders })).toContainEqual(
      expect.objectContaining({ side: 'response', message: expect.stringContaining('turnwire-version') }),
    );
  });
});

describe('the recorder', () => {
  const closing: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });
  it('passes both messages as they are, and keeps them for the watch', async () => {
    const [right] = documentedExchanges('orchestrator').filter(({ name }) => name.startsWith('pick '));
    if (right === undefined) throw new Error('no pick');
    const peer = createServer((request, response) => {
      request.resume().once('end', () => {
        response.writeHead(right.status, right.responseHeaders).end(right.responseBody);
      });
    }).listen(0, '127.0.0.1');
    closing.push(() => peer.close());
    await new Promise((resolve) => peer.once('listening', resolve));
    const recorder = new Recorder(`http://127.0.0.1:${(peer.address() as AddressInfo).port}`);
    closing.push(() => recorder.close());
    const url = (await recorder.listen()) + right.url;
    const text = await new Promise<string>((resolve, reject) => {
      const onward = send(
        url,
        { method: right.method, headers: right.requestHeaders, agent: false },
        async (answer) => {
          let body = '';
          for await (const chunk of answer) body += chunk;
          resolve(body);
        },
      );
      onward.once('error', reject).end(right.requestBody);
    });
    expect(text).toBe(right.responseBody);
    const [exchange] = recorder.exchanges;
    expect(exchange).toMatchObject({ status: right.status, requestBody: right.requestBody, responseBody: text });
    expect(await watches.orchestrator.check(exchange as Exchange)).toEqual([]);
    expect(await watches.orchestrator.check({ ...(exchange as Exchange), responseBody: '{}' })).not.toEqual([]);
  });
});
