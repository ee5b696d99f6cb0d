import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Fixture, startHarness, TOKEN } from '../testing/harness-fixture.ts';

let it_: Fixture;
let sockets: Socket[] = [];
beforeEach(async () => {
  it_ = await startHarness();
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
  await it_.close();
});

const MIB = 1024 * 1024;

/** Sends a whole large body, whatever comes back, and says what came back. */
async function post(length: number, token = TOKEN, onHeaders: () => void = () => undefined, chunked = false) {
  const socket = connect({ port: it_.listening.port, host: '127.0.0.1', allowHalfOpen: true });
  sockets.push(socket);
  let answer = '';
  let error: Error | undefined;
  socket.on('error', (problem) => {
    error = problem;
  });
  socket.on('data', (data) => {
    answer += data.toString();
  });
  await once(socket, 'connect');
  const framing = chunked ? 'transfer-encoding: chunked' : `content-length: ${length}`;
  socket.write(
    `POST /agents/coder/one HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\n${framing}\r\n\r\n`,
  );
  onHeaders();
  const piece = Buffer.alloc(MIB / 4, 'x');
  for (let sent = 0; sent < length && !socket.destroyed; sent += piece.length) {
    const bytes = chunked
      ? Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')])
      : piece;
    if (!socket.write(bytes)) await Promise.race([once(socket, 'drain'), once(socket, 'close')]);
  }
  if (chunked && !socket.destroyed) socket.write('0\r\n\r\n');
  if (!socket.readableEnded && !socket.destroyed) await Promise.race([once(socket, 'end'), once(socket, 'close')]);
  return { answer, error };
}

it('a drained Harness answers 503 before the body, and no reset destroys it (TW-DRN-001, TW-ADM-016)', async () => {
  it_.harness.draining.abort();
  const { answer, error } = await post(8 * MIB);
  expect(error).toBeUndefined();
  expect(answer).toMatch(/^HTTP\/1.1 503 /);
  expect(answer.toLowerCase()).toContain('turnwire-code: draining');
  expect(answer.toLowerCase()).toContain('connection: close');
  expect(answer.toLowerCase()).toContain('retry-after: 1');
});

it('a drain that begins while a body comes in answers 503 as well', async () => {
  const { answer, error } = await post(8 * MIB, TOKEN, () => setTimeout(() => it_.harness.draining.abort(), 5));
  expect(error).toBeUndefined();
  // 8 MiB of x are no JSON: the other answer is that they were read before the drain began.
  expect(answer).toMatch(/^HTTP\/1.1 (503|400) /);
});

it('a refused token is answered before the body', async () => {
  const { answer, error } = await post(8 * MIB, 'wrong');
  expect(error).toBeUndefined();
  expect(answer).toMatch(/^HTTP\/1.1 401 /);
});

it.each([false, true])('a body over 8 MiB is 413 (TW-GEN-009), chunked: %s', async (chunked) => {
  const { answer, error } = await post(9 * MIB, TOKEN, undefined, chunked);
  expect(error).toBeUndefined();
  expect(answer).toMatch(/^HTTP\/1.1 413 /);
  expect((await it_.call('GET', '/healthz')).status).toBe(204);
});

it('a client that never stops sending is cut', async () => {
  it_.harness.draining.abort();
  const socket = connect({ port: it_.listening.port, host: '127.0.0.1', allowHalfOpen: true });
  sockets.push(socket);
  socket.on('error', () => undefined);
  socket.resume();
  await once(socket, 'connect');
  socket.write(
    `POST /agents/coder/one HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${TOKEN}\r\ncontent-length: 9000000\r\n\r\n{`,
  );
  const drip = setInterval(() => socket.writable && socket.write('x'), 50);
  const began = Date.now();
  await new Promise((resolve) => socket.once('close', resolve));
  clearInterval(drip);
  expect(Date.now() - began).toBeGreaterThan(1_000);
  expect(Date.now() - began).toBeLessThan(6_000);
});

it('an ordinary client reads the answer of a Harness that drains', async () => {
  it_.harness.draining.abort();
  for (let round = 0; round < 5; round++) {
    const answer = await it_.call('POST', '/agents/coder/one', { body: { message: 'x'.repeat(8 * MIB - 100) } });
    expect([answer.status, answer.headers.get('turnwire-code')]).toEqual([503, 'draining']);
  }
});
