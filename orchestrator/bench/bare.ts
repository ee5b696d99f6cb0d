/** What a durable POST costs without us: Hono on Node and better-sqlite3, `synchronous=FULL`. `bare.ts FILE one|group` */
import { serve } from '@hono/node-server';
import Database from 'better-sqlite3';
import { Hono } from 'hono';

const [file = '', mode = 'one'] = process.argv.slice(2);
const database = new Database(file);
database.pragma('journal_mode = WAL');
database.pragma('synchronous = FULL');
database.exec('CREATE TABLE posts (id INTEGER PRIMARY KEY, body TEXT NOT NULL)');
const insert = database.prepare('INSERT INTO posts (body) VALUES (?)');
const insertAll = database.transaction((bodies: readonly string[]) => {
  for (const body of bodies) insert.run(body);
});

let waiting: { body: string; done: () => void }[] = [];

/** Requests of one turn of the loop share a commit. */
function grouped(body: string): Promise<void> {
  return new Promise((done) => {
    waiting.push({ body, done });
    if (waiting.length > 1) return;
    setImmediate(() => {
      const batch = waiting;
      waiting = [];
      insertAll(batch.map((one) => one.body));
      for (const one of batch) one.done();
    });
  });
}

const held = new Set<() => void>();
const app = new Hono();
app.post('/posts', async (c) => {
  const body = JSON.stringify(await c.req.json());
  if (mode === 'group') await grouped(body);
  else insert.run(body);
  return c.json({ ok: true });
});
app.get('/hold', async (c) => {
  await new Promise<void>((resolve) => held.add(resolve));
  return c.json({ ok: true });
});

serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => {
  process.stdout.write(`${JSON.stringify({ event: 'listening', url: `http://127.0.0.1:${port}` })}\n`);
});
