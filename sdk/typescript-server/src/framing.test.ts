import { afterEach, describe, expect, it } from 'vitest';
import { createApp } from './app.ts';
import { type Listening, listen } from './listen.ts';
import type { Logger } from './logger.ts';
import { Problem } from './problem.ts';

let listening: Listening | undefined;
afterEach(() => listening?.close({ graceMs: 0 }));

const log = { error: () => {} } as unknown as Logger;

async function serve() {
  const app = createApp({ log });
  app.get('/json', (c) => c.json({ said: 'yes' }));
  app.get('/refused', () => {
    throw new Problem('not_found', 'there is nothing');
  });
  app.get('/streamed', () => new Response(new Blob(['one ', 'two']).stream()));
  listening = await listen({ app, host: '127.0.0.1', port: 0, role: 'orchestrator', announce: false });
  return listening.url;
}

describe('a body', () => {
  it.each(['/json', '/refused', '/none', '/streamed'])(
    'is framed by its length or by chunks: %s (TW-GEN-028)',
    async (path) => {
      const { headers, body } = await fetch(`${await serve()}${path}`);
      await body?.cancel();
      const isFramed = headers.has('content-length') !== (headers.get('transfer-encoding') === 'chunked');
      expect(isFramed, JSON.stringify([...headers])).toBe(true);
    },
  );
});
