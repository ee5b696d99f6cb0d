import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

interface Running {
  readonly child: ChildProcess;
  readonly lines: string[];
  readonly ended: Promise<{ code: number | null; stdout: string; stderr: string }>;
  until(count: number): Promise<void>;
}

function run(...args: string[]): Running {
  const child = spawn(process.execPath, ['--import', 'tsx', '.ci/mock.ts', ...args], { cwd: root });
  children.push(child);
  let stdout = '';
  let stderr = '';
  const lines: string[] = [];
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
    lines.splice(0, lines.length, ...stdout.split('\n').slice(0, -1));
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, stdout, stderr }));
  const until = async (count: number): Promise<void> => {
    while (lines.length < count)
      await Promise.race([once(child.stdout, 'data'), ended.then(() => expect.fail(stderr))]);
  };
  return { child, lines, ended, until };
}

async function taken(): Promise<{ server: Server; port: number }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return { server, port: typeof address === 'object' && address !== null ? address.port : 0 };
}

it('says for each mock where it is and how to ask it, in words that work, and ends all on Ctrl-C', async () => {
  const running = run('--port', '0');
  await running.until(3);
  expect(running.lines.map((line) => line.split(/\s+/)[0])).toEqual(['harness', 'orchestrator', 'custodian']);
  const paths = ['/agents/reviewer/r1?view=history', '/agents/r1/events', '/agents/r1/surface'];
  for (const [index, line] of running.lines.entries()) {
    const [, url = '', prefer = ''] = /(http:\/\/127\.0\.0\.1:\d+) .*-H 'Prefer: ([^']+)'$/.exec(line) ?? [];
    const headers = { authorization: 'Bearer any', prefer, 'content-type': 'application/json' };
    const pick = { method: 'POST', body: JSON.stringify({ turnId: 't', event: 'e', input: {} }) };
    const answer = await fetch(url + paths[index], { headers, ...(index === 1 ? pick : {}) });
    expect(prefer).toContain(`code=${answer.status}`);
    expect(answer.headers.get('turnwire-version')).toBe('1');
  }
  running.child.kill('SIGINT');
  expect(await running.ended).toMatchObject({ code: 0, stderr: '' });
});

it('says in one line which port is taken, and starts nothing', async () => {
  const { server, port } = await taken();
  const { code, stdout, stderr } = await run('--port', `${port - 1}`).ended;
  server.close();
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^mock: port \d+ \(\w+\) is taken: .*--port N`\n$/);
});

it.each([['--port', 'x'], ['--port', '65534'], ['--nope']])('says how it is used: %s %s', async (...args) => {
  const { code, stderr } = await run(...args).ended;
  expect(code).toBe(2);
  expect(stderr).toMatch(/^mock: usage: [^\n]+\n$/);
});
