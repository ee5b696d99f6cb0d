import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Child, exitText } from './child.ts';

const LISTENING = `process.stdout.write('noise\\n' + JSON.stringify({ event: 'listening', role: 'x', url: 'http://127.0.0.1:1' }) + '\\n');`;
const FOREVER = 'setInterval(() => {}, 1000);';

let dir: string;
const children: Child[] = [];
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'tw-child-'));
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill();
});
afterAll(() => rmSync(dir, { recursive: true }));

function start(source: string, more: { startMs?: number; stopMs?: number; lines?: string[] } = {}): Child {
  const script = join(dir, `${children.length}-${Math.random()}.mjs`);
  writeFileSync(script, source);
  const { lines, ...times } = more;
  const child = new Child({
    name: 'x',
    script,
    args: [],
    env: process.env,
    onLine: (_name, line) => lines?.push(line),
    ...times,
  });
  children.push(child);
  return child;
}

describe('a child process', () => {
  it('is up when it says where it listens, and ends when it is stopped', async () => {
    const child = start(`process.on('SIGTERM', () => process.exit(0)); ${LISTENING} ${FOREVER}`);
    expect(await child.listening()).toBe('http://127.0.0.1:1');
    expect(child.running).toBe(true);
    await child.stop();
    expect(await child.exited).toEqual({ code: 0, signal: null });
    expect(child.running).toBe(false);
    await child.stop();
  });

  it('hands over what it logs, line by line', async () => {
    const lines: string[] = [];
    const child = start(`process.stderr.write('one\\ntwo\\n');`, { lines });
    await child.exited;
    expect(lines).toEqual(['one', 'two']);
  });

  it('that ends before it listens is one line with its own last word', async () => {
    const child = start(`process.stderr.write('x: port 4000 is taken\\n'); process.exitCode = 2;`);
    await expect(child.listening()).rejects.toThrow('x did not start (exit 2): x: port 4000 is taken');
  });

  it('that says nothing is given up', async () => {
    const child = start(FOREVER, { startMs: 300 });
    await expect(child.listening()).rejects.toThrow('x did not listen within 0.3 s');
  });

  it('that does not go is killed', async () => {
    const child = start(`process.on('SIGTERM', () => {}); ${LISTENING} ${FOREVER}`, { stopMs: 100 });
    await child.listening();
    await child.stop();
    expect(exitText(await child.exited)).toBe('SIGKILL');
  });
});
