import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createApp } from './app.ts';
import { type Listening, listen } from './listen.ts';
import { createLogger } from './logger.ts';
import { Problem } from './problem.ts';

const MIB = 1024 * 1024;
const log = createLogger('test');
log.level = 'silent';
let server: Listening;
beforeEach(async () => {
  const app = createApp({
    log,
    authorise: (c) => {
      if (!c.req.header('authorization')) throw new Problem('unauthorized', 'who are you?');
    },
  });
  app.post('/full', () => {
    throw new Problem('queue_full', 'not now');
  });
  server = await listen({ app, host: '127.0.0.1', port: 0, role: 'test', announce: false });
});
afterEach(() => server.close({ graceMs: 0 }));

/** Sends a whole large body, whatever comes back, and says what came back. */
async function post(head: string) {
  const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
  let answer = '';
  let error: Error | undefined;
  socket.on('error', (problem) => {
    error = problem;
  });
  socket.on('data', (data) => {
    answer += data.toString();
  });
  await once(socket, 'connect');
  socket.write(`${head}content-length: ${12 * MIB}\r\n\r\n`);
  const piece = Buffer.alloc(MIB / 4, 'x');
  for (let sent = 0; sent < 12 * MIB && !socket.destroyed; sent += piece.length) {
    if (!socket.write(piece)) await Promise.race([once(socket, 'drain'), once(socket, 'close')]);
  }
  if (!socket.readableEnded && !socket.destroyed) await Promise.race([once(socket, 'end'), once(socket, 'close')]);
  socket.destroy();
  return { answer: answer.toLowerCase(), error };
}

it.each([
  ['a route', 'POST /full HTTP/1.1\r\nhost: x\r\n', 429, 'queue_full'],
  ['no route', 'POST /none HTTP/1.1\r\nhost: x\r\n', 404, 'not_found'],
  [
    'another version',
    'POST /full HTTP/1.1\r\nhost: x\r\nauthorization: x\r\nturnwire-version: 2\r\n',
    400,
    'unsupported_version',
  ],
  ['no token in another version', 'POST /full HTTP/1.1\r\nhost: x\r\nturnwire-version: 2\r\n', 401, 'unauthorized'],
  ['no Host', 'POST /full HTTP/1.1\r\n', 400, 'bad_request'],
  ['a malformed Host', 'POST /full HTTP/1.1\r\nhost: a/b@c\r\n', 400, 'bad_request'],
])('%s answers before a body of 12 MiB, and no reset destroys it (TW-ADM-016)', async (_, head, status, code) => {
  const { answer, error } = await post(head);
  expect(error).toBeUndefined();
  expect(answer).toMatch(new RegExp(`^http/1.1 ${status} `));
  expect(answer).toContain(`turnwire-code: ${code}`);
  expect(answer.match(/connection: close/g)).toHaveLength(1);
});
