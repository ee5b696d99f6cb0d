/**
 * The Harness beside a bare Hono route that appends one synced line, in one run, with a model of zero latency:
 * `npm run bench -- harness [FOLDER]`. Exits 1 when a figure is over its bound.
 */
import { fork } from 'node:child_process';
import { once, setMaxListeners } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { encodeBlock } from '../src/log/block.ts';
import { conversationFile } from '../src/log/folder.ts';

const bounds = { admissionShare: 0.6, firstRecordMs: 5, parkedMiB: 64, rebuildMs: 5_000 } as const;
const parked = 2_000;
const conversations = 10_000;
const connections = 64;
const rounds = 9;
const perRound = 4_000;

const headers = { authorization: 'Bearer bench', 'content-type': 'application/json' };
const definition = { model: 'openai/any', instructions: 'Be brief.' };
const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;

class Server {
  private constructor(
    readonly url: string,
    /** Milliseconds that it took to open its folder and to listen. */
    readonly openedMs: number,
    readonly pool: Pool,
    readonly child: ReturnType<typeof fork>,
  ) {}

  static async start(what: 'bare' | 'harness', folder: string): Promise<Server> {
    mkdirSync(folder, { recursive: true });
    const execArgv = ['--conditions=turnwire-source', '--import', 'tsx', '--expose-gc'];
    const child = fork(fileURLToPath(new URL('server.ts', import.meta.url)), [what, folder], { execArgv });
    const [{ url, ms }] = (await once(child, 'message')) as [{ url: string; ms: number }];
    return new Server(url, ms, new Pool(url, { connections }), child);
  }

  async admit(iid: string): Promise<{ streamUrl: string; offset: string }> {
    const body = JSON.stringify({ message: 'What is to be done next, and who should do it?', definition });
    const path = `/agents/coder/${iid}`;
    const extra = { ...headers, 'idempotency-key': crypto.randomUUID() };
    const answer = await this.pool.request({ method: 'POST', path, headers: extra, body });
    if (answer.statusCode !== 202) throw new Error(`${answer.statusCode} ${await answer.body.text()}`);
    return (await answer.body.json()) as { streamUrl: string; offset: string };
  }

  async rssMiB(): Promise<number> {
    this.child.send('rss');
    const [{ rss }] = (await once(this.child, 'message')) as [{ rss: number }];
    return rss / 1024 / 1024;
  }

  async stop(): Promise<void> {
    await this.pool.destroy();
    this.child.disconnect();
    await once(this.child, 'exit');
  }
}

/**
 * Admissions a second, each connection in conversations of its own. In `held` ones the first turn does not end, so that what is
 * measured is the admission; in others the turns run beside them.
 */
async function rate(server: Server, prefix: string): Promise<number> {
  const startedAt = performance.now();
  let left = perRound;
  const worker = async (nth: number) => {
    while (left-- > 0) await server.admit(`${prefix}-${nth}-${left % 3}`);
  };
  await Promise.all(Array.from({ length: connections }, (_, nth) => worker(nth)));
  return (perRound / (performance.now() - startedAt)) * 1_000;
}

/** Until nothing of the rounds before is left to run, so that each round measures itself. */
const breathe = () => new Promise((resolve) => setTimeout(resolve, 700));

async function admissionShare(bare: Server, harness: Server, kind: 'held' | 'run', bound: number): Promise<void> {
  const seen: { bare: number; ours: number }[] = [];
  for (let round = 0; round <= rounds; round++) {
    const pair = { bare: await rate(bare, `${kind}-${round}`), ours: await rate(harness, `${kind}-${round}`) };
    await breathe();
    if (round > 0) seen.push(pair);
  }
  const share = median(seen.map((each) => each.ours / each.bare));
  const [bareRate, ourRate] = [median(seen.map((each) => each.bare)), median(seen.map(({ ours }) => ours))];
  const what = kind === 'held' ? 'admission' : 'with turns';
  say(what, `bare ${bareRate.toFixed(0)}/s, harness ${ourRate.toFixed(0)}/s, ${share.toFixed(2)} ×`, {
    holds: share >= bound,
    bound: bound > 0 ? `at least ${bound}` : 'no bound',
  });
}

/** From the request of the admission to its first record in a reader's hands. */
async function firstRecord(server: Server): Promise<void> {
  const times: number[] = [];
  for (let nth = 0; nth < 500; nth++) {
    const startedAt = performance.now();
    const { streamUrl, offset } = await server.admit(`first-${nth}`);
    const { pathname, search } = new URL(streamUrl);
    const path = `${pathname}${search}&live=long-poll&offset=${offset}`;
    const answer = await server.pool.request({ method: 'GET', path, headers });
    const records = (await answer.body.json()) as unknown[];
    if (records.length === 0) throw new Error('no record came');
    if (nth >= 50) times.push(performance.now() - startedAt);
  }
  const p50 = median(times);
  say('first record', `p50 ${p50.toFixed(2)} ms after the admission was sent`, {
    holds: p50 <= bounds.firstRecordMs,
    bound: `at most ${bounds.firstRecordMs} ms`,
  });
}

async function parkedPolls(folder: string): Promise<void> {
  const server = await Server.start('harness', folder);
  await server.admit('held');
  const idle = await server.rssMiB();
  const readers = new Pool(server.url, { connections: parked });
  const leave = new AbortController();
  setMaxListeners(0, leave.signal);
  const path = '/agents/coder/held?view=updates&live=long-poll&offset=now';
  const polls = Array.from({ length: parked }, () =>
    readers.request({ method: 'GET', path, headers, signal: leave.signal }).catch(() => undefined),
  );
  // All of them are there and none was answered: the park is 25 s.
  await new Promise((resolve) => setTimeout(resolve, 6_000));
  const more = (await server.rssMiB()) - idle;
  leave.abort();
  await Promise.all(polls);
  await readers.destroy();
  await server.stop();
  say('parked', `${parked} long-polls take ${more.toFixed(1)} MiB above the ${idle.toFixed(1)} of the idle process`, {
    holds: more <= bounds.parkedMiB,
    bound: `at most ${bounds.parkedMiB} MiB`,
  });
}

async function rebuild(folder: string): Promise<void> {
  mkdirSync(join(folder, 'conversations'), { recursive: true });
  for (let nth = 0; nth < conversations; nth++) {
    writeFileSync(conversationFile(join(folder, 'conversations'), `old-${nth}`), logOf(nth));
  }
  const server = await Server.start('harness', folder);
  const answer = await server.pool.request({ method: 'GET', path: '/agents/coder/old-4711?view=history', headers });
  const { messages } = (await answer.body.json()) as { messages: unknown[] };
  if (messages.length !== 2) throw new Error('what was rebuilt is not what was there');
  await server.stop();
  say('rebuild', `${conversations} conversations in ${server.openedMs.toFixed(0)} ms`, {
    holds: server.openedMs <= bounds.rebuildMs,
    bound: `at most ${bounds.rebuildMs} ms`,
  });
}

/** A conversation with one turn, settled, as a Harness writes it. */
function logOf(nth: number): Buffer {
  const at = new Date().toISOString();
  const stamp = { submissionId: `sub_${nth}`, at };
  const message = (role: 'user' | 'assistant', text: string) => ({
    ...{ type: 'message.appended' as const, ...stamp },
    message: { id: `msg_${role}_${nth}`, role, parts: [{ type: 'text' as const, text }] },
  });
  const prompt = { agentName: 'coder', definition, message: 'What is next?', notices: [] };
  return Buffer.concat([
    encodeBlock([
      { type: 'private.created', iid: `old-${nth}`, name: 'coder', incarnation: `inc${nth}`, at },
      { type: 'private.admitted', key: `k-${nth}`, digest: 'd', ...stamp, ...prompt },
      { type: 'submission.queued', ...stamp },
    ]),
    encodeBlock([{ type: 'submission.started', ...stamp }]),
    encodeBlock([{ type: 'private.menu', menu: [] }, message('user', 'What is next? '.repeat(40))]),
    encodeBlock([
      message('assistant', 'This is. '.repeat(40)),
      { type: 'usage', ...stamp, inputTokens: 9, outputTokens: 9 },
    ]),
    encodeBlock([{ type: 'submission.settled', ...stamp, outcome: 'completed' }]),
  ]);
}

function say(what: string, figures: string, { holds, bound }: { holds: boolean; bound: string }): void {
  process.stdout.write(`${what.padEnd(12)} ${figures} (${bound}) ${holds ? 'ok' : 'MISSED'}\n`);
  if (!holds) process.exitCode = 1;
}

const folder = mkdtempSync(join(process.argv[2] ?? tmpdir(), 'turnwire-bench-'));
const bare = await Server.start('bare', join(folder, 'bare'));
const harness = await Server.start('harness', join(folder, 'harness'));
try {
  const held = await Server.start('harness', join(folder, 'held'));
  await admissionShare(bare, held, 'held', bounds.admissionShare);
  await held.stop();
  await admissionShare(bare, harness, 'run', 0);
  await firstRecord(harness);
  await parkedPolls(join(folder, 'parked'));
  await rebuild(join(folder, 'rebuild'));
} finally {
  await Promise.all([bare.stop(), harness.stop()]);
  rmSync(folder, { recursive: true, force: true });
}
