import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { plainUpstream, RawClient } from './testing/peers.ts';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'turnwire-faults-'));
const children = new Set<ChildProcess>();

afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
});

function faults(script: string, ...flags: string[]): ChildProcess & { said: { err: string } } {
  const file = join(folder, 'script.json');
  writeFileSync(file, script);
  const node = ['--conditions=turnwire-source', '--import', 'tsx', main, 'faults', '--script', file, ...flags];
  const child = spawn(process.execPath, node, { stdio: ['ignore', 'pipe', 'pipe'] });
  children.add(child);
  const said = { err: '' };
  child.stderr.on('data', (piece: Buffer) => {
    said.err += piece.toString();
  });
  return Object.assign(child, { said });
}

const exit = (child: ChildProcess): Promise<number | null> => new Promise((resolve) => child.once('close', resolve));

it('listens, does what the script says, records it, and ends at a SIGTERM', async () => {
  const upstream = await plainUpstream();
  const record = join(folder, 'record.jsonl');
  const script = '{"steps":[{"on":"request","match":"POST *","nth":1,"fault":"reset_after_request","deliver":true}]}';
  const child = faults(script, '--upstream', upstream.url, '--record', record, '--listen', '127.0.0.1:0');
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const listening = JSON.parse(await new Promise<string>((resolve) => lines.once('line', resolve)));
  expect(listening).toMatchObject({ event: 'listening', role: 'faults', pid: child.pid });
  const client = new RawClient(Number(new URL(listening.url).port));
  client.post('{"a":1}');
  expect([await client.ended(), upstream.bodies]).toEqual(['ECONNRESET', ['{"a":1}']]);
  child.kill('SIGTERM');
  expect(await exit(child)).toBe(0);
  expect(readFileSync(record, 'utf8')).toMatch(/"event":"request".*"fault":"reset_after_request"/);
  await upstream.close();
});

it.each([
  ['{"steps":[{"on":"request","fault":"explode"}]}', [], /script\.json: steps\[0\]\.fault: must be one of pass, /],
  ['{"steps":[]}', ['--listen', 'nowhere'], /must be HOST:PORT/],
  ['{"steps":[]}', ['--upstream', 'ftp://x'], /must be an http URL/],
  ['{"steps":[]}', ['--script', '/nowhere'], /cannot read the script \/nowhere/],
])('a mistake is one line and exit code 2: %s %j', async (script, flags, message) => {
  const child = faults(script, '--upstream', 'http://127.0.0.1:9', ...flags);
  expect(await exit(child)).toBe(2);
  expect(child.said.err).toMatch(message);
  expect(child.said.err.trim().split('\n')).toHaveLength(1);
});
