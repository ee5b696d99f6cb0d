import { mkdtempSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Faults, startFaults } from './proxy.ts';
import type { FaultScript, RequestFault, Step } from './script.ts';
import { type Plain, plainUpstream, RawClient } from './testing/peers.ts';

let upstream: Plain;
const open: { close(): Promise<void> }[] = [];
const clients: RawClient[] = [];

beforeEach(async () => {
  upstream = await plainUpstream();
  open.push(upstream);
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.socket.destroy();
  await Promise.all(open.splice(0).map((each) => each.close()));
});

async function proxy(steps: Step[], more: Partial<Parameters<typeof startFaults>[0]> = {}): Promise<Faults> {
  const faults = await startFaults({ upstream: upstream.url, script: { steps }, ...more });
  open.push(faults);
  return faults;
}

function client(faults: Faults): RawClient {
  const made = new RawClient(faults.port);
  clients.push(made);
  return made;
}

const on = (fault: RequestFault, more: object = {}): Step => ({ on: 'request', fault, nth: 1, ...more });

/** One POST through one fault: how the connection ended and what had come by then. */
async function posted(faults: Faults, body = '{"a":1}', path?: string): Promise<RawClient> {
  const made = client(faults);
  made.post(body, path);
  await made.ended();
  return made;
}

describe('what passes', () => {
  it('goes through byte for byte, both ways, on one kept connection', async () => {
    const faults = await proxy([]);
    const one = client(faults);
    one.post('{"a":1}');
    await one.until(({ text }) => text.includes('"n":1'));
    one.post('{"b":2}', '/chunked');
    await one.until(({ text }) => text.endsWith('0\r\n\r\n'));
    expect(upstream.bodies).toEqual(['{"a":1}', '{"b":2}']);
    expect(
      faults.requests.map(({ connection, whole, copies, answered }) => [connection, whole, copies, answered]),
    ).toEqual([
      [1, true, 1, 200],
      [1, true, 1, 200],
    ]);
    expect(faults.requests[0]?.bytes.toString()).toMatch(/^POST \/agents\/a\/events HTTP\/1\.1\r\n[\s\S]*\{"a":1\}$/);
  });

  it('a request in pieces is whole only when its last byte is there', async () => {
    const faults = await proxy([]);
    const one = client(faults);
    one.socket.write('POST /x HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\n\r\nab');
    expect(await faults.until(() => faults.requests[0]?.body.toString() === 'ab', 300)).toBe(false);
    expect(faults.requests[0]?.whole).toBe(false);
    one.socket.write('cd');
    await one.until(({ text }) => text.includes('"n":1'));
    expect(faults.requests[0]).toMatchObject({ whole: true, method: 'POST', target: '/x' });
  });
});

describe('a connection that gives nothing', () => {
  it('refuses, and takes connects again', async () => {
    const faults = await proxy([{ on: 'listener', fault: 'refused' }]);
    expect(await client(faults).ended()).toBe('ECONNREFUSED');
    await faults.accept();
    const one = client(faults);
    one.post('{}');
    await one.until(({ text }) => text.includes('"n":1'));
  });

  it('refuses for a time', async () => {
    const faults = await proxy([{ on: 'listener', fault: 'refused', forMs: 60 }]);
    expect(await client(faults).ended()).toBe('ECONNREFUSED');
    for (;;) {
      const one = client(faults);
      one.post('{}');
      await one.until(({ text, ending }) => text !== '' || ending !== undefined);
      if (one.ending === undefined) break;
    }
    expect(upstream.bodies).toHaveLength(1);
  });

  it('drops SYNs: a connect neither succeeds nor fails', async () => {
    const faults = await proxy([{ on: 'listener', fault: 'full_queue' }]);
    const one = client(faults);
    const outcome = await Promise.race([
      one.ended(),
      new Promise((resolve) => one.socket.once('connect', () => resolve('connected'))),
      new Promise((resolve) => setTimeout(() => resolve('nothing'), 400)),
    ]);
    expect(outcome).toBe('nothing');
    one.socket.destroy();
    await faults.accept();
    const two = client(faults);
    two.post('{}');
    await two.until(({ text }) => text.includes('"n":1'));
  });

  it('accepts and is silent', async () => {
    const faults = await proxy([{ on: 'connection', fault: 'silent', nth: 1 }]);
    const one = client(faults);
    one.post('{"a":1}');
    expect(await faults.until(() => faults.requests[0]?.whole === true, 2000)).toBe(true);
    expect([one.text, one.ending, upstream.bodies.length]).toEqual(['', undefined, 0]);
  });

  it('resets a connection before it reads anything', async () => {
    const faults = await proxy([{ on: 'connection', fault: 'reset_on_connect', nth: 1 }]);
    expect(await client(faults).ended()).toBe('ECONNRESET');
    expect(faults.requests).toHaveLength(0);
    expect(faults.connections).toMatchObject([{ n: 1, bytes: 0 }]);
  });
});

describe('an end without an answer', () => {
  it.each([
    ['reset_early', 'ECONNRESET'],
    ['reset_after_request', 'ECONNRESET'],
    ['close_after_request', 'end'],
  ] as const)('%s', async (fault, ending) => {
    const faults = await proxy([on(fault)]);
    const one = await posted(faults);
    expect([one.ending, one.text, upstream.bodies.length]).toEqual([ending, '', 0]);
    expect(faults.requests[0]?.whole).toBe(true);
  });

  it('the upstream may have had it all the same', async () => {
    const faults = await proxy([on('reset_after_request', { deliver: true })]);
    await posted(faults);
    expect(upstream.bodies).toEqual(['{"a":1}']);
    expect(faults.requests[0]).toMatchObject({ copies: 1, upstream: 200 });
    expect(faults.requests[0]?.answered).toBeUndefined();
  });

  it('bytes that are not HTTP', async () => {
    const one = await posted(await proxy([on('garbage')]));
    expect(one.text).toMatch(/this is not HTTP/);
  });
});

describe('an answer that does not come whole', () => {
  const body = '{"n":1,"echo":"{\\"a\\":1}"}';

  it('cut after the headers', async () => {
    const one = await posted(await proxy([on('cut_after_headers')]));
    expect(one.text).toMatch(new RegExp(`^HTTP/1.1 200 OK[\\s\\S]*content-length: ${body.length}\r\n\r\n$`));
    expect([one.ending, upstream.bodies.length]).toEqual(['end', 1]);
  });

  it('cut in the body against its length, by a reset if that is asked for', async () => {
    const one = await posted(await proxy([on('cut_body', { afterBytes: 5, end: 'rst' })]));
    expect(one.text.endsWith(`content-length: ${body.length}\r\n\r\n{"n":`)).toBe(true);
    // A reset that overtakes the reading of what came before it can look like an end.
    expect(['ECONNRESET', 'end']).toContain(one.ending);
  });

  it('cut in a chunk', async () => {
    const one = await posted(await proxy([on('cut_chunk', { afterBytes: 5 })]), '{"a":1}', '/chunked');
    expect(one.text.endsWith(`transfer-encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n{"n":`)).toBe(true);
  });

  it('a body that stalls', async () => {
    const faults = await proxy([on('stall_body', { afterBytes: 5 })]);
    const one = client(faults);
    one.post('{"a":1}');
    await one.until(({ text }) => text.endsWith('{"n":'));
    expect(await faults.until(() => one.ending !== undefined, 300)).toBe(false);
  });

  it('broken JSON and a clean end', async () => {
    const faults = await proxy([on('broken_json', { afterBytes: 5 })]);
    const one = client(faults);
    one.post('{"a":1}');
    await one.until(({ text }) => text.endsWith('content-length: 5\r\n\r\n{"n":'));
    one.post('{"b":2}');
    await one.until(({ text }) => text.includes('"n":2'));
    expect(faults.connections).toHaveLength(1);
  });
});

describe('copies', () => {
  it('a duplicate reaches the upstream twice, and one answer comes back', async () => {
    const faults = await proxy([on('duplicate')]);
    const one = client(faults);
    one.post('{"a":1}');
    await one.until(({ text }) => text.includes('"n":1'));
    expect(upstream.bodies).toEqual(['{"a":1}', '{"a":1}']);
    expect([faults.requests[0]?.copies, one.text.match(/HTTP\/1\.1/g)?.length]).toEqual([2, 1]);
  });

  it('a late copy arrives after its client was cut off', async () => {
    const faults = await proxy([on('late_copy', { ms: 50 })]);
    const one = await posted(faults);
    expect([one.ending, upstream.bodies.length]).toEqual(['ECONNRESET', 0]);
    expect(await faults.until(() => faults.requests[0]?.copies === 1, 2000)).toBe(true);
  });

  it('a slow reader takes its time and all of it', async () => {
    const faults = await proxy([on('slow_read', { ms: 5 })]);
    const one = client(faults);
    const large = `"${'x'.repeat(600_000)}"`;
    one.post(large);
    await one.until(({ text }) => text.includes('"n":1'));
    expect(upstream.bodies).toEqual([large]);
    expect((faults.requests[0]?.wholeAt ?? 0) - (faults.requests[0]?.at ?? 0)).toBeGreaterThan(20);
  });
});

describe('kept sockets', () => {
  it('dies at the first byte of the next request', async () => {
    const faults = await proxy([on('dies_on_reuse')]);
    const one = client(faults);
    one.post('{"a":1}');
    await one.until(({ text }) => text.includes('"n":1'));
    one.post('{"b":2}');
    expect(await one.ended()).toBe('ECONNRESET');
    expect(upstream.bodies).toEqual(['{"a":1}']);
    expect(faults.requests.map(({ whole, fault }) => [whole, fault])).toEqual([
      [true, 'dies_on_reuse'],
      [false, 'dies_on_reuse'],
    ]);
  });

  it('closes an idle connection', async () => {
    const one = await posted(await proxy([on('closes_idle', { ms: 10 })]));
    expect([one.ending, one.text.includes('"n":1')]).toEqual(['end', true]);
  });

  it('goes down for a time', async () => {
    const faults = await proxy([on('pass', { downMs: 5_000 })]);
    const one = await posted(faults);
    expect(one.text).toContain('"n":1');
    expect(await client(faults).ended()).toBe('ECONNREFUSED');
  });
});

describe('an ingress in our place', () => {
  it.each([200, 301, 401, 404, 408, 429, 502, 503])('answers %i', async (status) => {
    const faults = await proxy([on('answer', { answer: { status, body: '<html>no</html>' } })]);
    const one = client(faults);
    one.post('{"a":1}');
    await one.until(({ text }) => text.endsWith('<html>no</html>'));
    expect(one.text.startsWith(`HTTP/1.1 ${status} `)).toBe(true);
    expect(one.text).not.toMatch(/turnwire/i);
    expect([upstream.bodies.length, faults.requests[0]?.answered]).toEqual([0, status]);
  });
});

describe('the record', () => {
  it('is JSON lines that hold every byte', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'turnwire-faults-')), 'record.jsonl');
    const faults = await proxy([on('reset_after_request', { name: 'lost', deliver: true })], { record: file });
    await posted(faults);
    const lines = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ event }) => event)).toEqual(expect.arrayContaining(['connected', 'request', 'delivered']));
    const request = lines.find(({ event }) => event === 'request');
    expect(request).toMatchObject({ whole: true, step: 'lost', fault: 'reset_after_request' });
    expect(Buffer.from(request.bytes, 'base64').toString()).toMatch(/\{"a":1\}$/);
  });

  it('keeps bytes that never become a request', async () => {
    const faults = await proxy([]);
    const socket = connect(faults.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.end('\u0016\u0003');
    expect(await faults.until(() => faults.requests[0]?.bytes.length === 2, 2000)).toBe(true);
    expect(faults.requests[0]).toMatchObject({ method: '', whole: false });
  });
});

describe('what is drawn', () => {
  it('is the same for the same seed', async () => {
    const run = async (script: FaultScript) => {
      const faults = await startFaults({ upstream: upstream.url, script });
      open.push(faults);
      for (let n = 0; n < 12; n++) {
        const one = client(faults);
        one.post('{}');
        await one.until(({ text, ending }) => text !== '' || ending !== undefined);
      }
      return faults.requests.map(({ fault }) => fault);
    };
    const steps: Step[] = [{ on: 'request', fault: 'reset_early', chance: 0.5 }];
    const first = await run({ seed: 7, steps });
    expect(new Set(first).size).toBe(2);
    expect(await run({ seed: 7, steps })).toEqual(first);
  });
});
