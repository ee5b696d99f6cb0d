import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, describe, expect, it } from 'vitest';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'turnwire-model-'));
const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const good = file('good.json', { rules: [{ reply: { text: 'Hello.' } }] });

interface Ran {
  child: ChildProcess;
  output: { out: string; err: string };
  exit: Promise<number | null>;
}

function run(...args: string[]): Ran {
  const child = spawn(process.execPath, ['--import', 'tsx', main, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  const output = { out: '', err: '' };
  child.stdout?.on('data', (data) => {
    output.out += data;
  });
  child.stderr?.on('data', (data) => {
    output.err += data;
  });
  return { child, output, exit: new Promise((resolve) => child.on('close', resolve)) };
}

describe('turnwire-contract model', () => {
  it('prints where it listens, answers, records, and goes at SIGTERM', async () => {
    const record = join(folder, 'record.jsonl');
    const { child, output, exit } = run('model', '--script', good, '--record', record);
    await expect.poll(() => output.out, { timeout: 15_000 }).toContain('\n');
    const line = JSON.parse(output.out);
    expect(line).toEqual({
      event: 'listening',
      role: 'model',
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      pid: child.pid,
    });
    const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }] });
    const answer = await fetch(`${line.url}/v1/chat/completions`, { method: 'POST', body });
    expect(await answer.json()).toMatchObject({ choices: [{ message: { content: 'Hello.' } }] });
    expect(JSON.parse(readFileSync(record, 'utf8'))).toMatchObject({ n: 1, rule: '0' });
    child.kill('SIGTERM');
    expect(await exit).toBe(0);
    expect(output.out.trim().split('\n')).toHaveLength(1);
  });

  it.each([
    ['no script', ['model'], "required option '--script <file>' not specified"],
    ['a script that is not there', ['model', '--script', join(folder, 'none.json')], 'cannot read the script'],
    ['a script that is not JSON', ['model', '--script', file('bad.json', '{')], 'bad.json: the script: is not JSON'],
    [
      'a mistake in the script',
      ['model', '--script', file('odd.json', { rules: [{ reply: { txt: 1 } }] })],
      'odd.json: rules[0].reply.txt: is not known here',
    ],
    ['a port that is none', ['model', '--script', good, '--port', 'x'], 'must be 0 to 65535'],
  ])('%s: one clear line, exit 2, nothing started', async (_, args, message) => {
    const { output, exit } = run(...args);
    expect(await exit).toBe(2);
    expect(output.err).toContain(message);
    expect(output.err.trim().split('\n')).toHaveLength(1);
    expect(output.out).toBe('');
  });

  it('says when its port is taken', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as { port: number };
    const { output, exit } = run('model', '--script', good, '--port', String(port));
    expect(await exit).toBe(2);
    expect(output.err).toMatch(new RegExp(`^turnwire-contract: cannot listen at 127\\.0\\.0\\.1:${port}: [^\\n]+\\n$`));
    await new Promise((resolve) => taken.close(resolve));
  });
});
