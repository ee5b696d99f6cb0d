import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type FakeIo, fakeIo } from './io.fixture.ts';
import { runCli } from './program.ts';

/** What an author has installed: the modules find `@turnwire/orchestrator`, `xstate` and `zod` in it. */
const NODE_MODULES = dirname(dirname(createRequire(import.meta.url).resolve('xstate/package.json')));
const GOOD = `
import { defineEvent, setup } from '@turnwire/orchestrator';
import { z } from 'zod';
const go = defineEvent({ name: 'go', by: 'outside', input: z.object({}) });
export const machine = setup({ input: z.object({}), events: [go] }).createMachine({
  context: () => ({}),
  initial: 'waiting',
  states: { waiting: { invoke: { src: 'gate', input: { gate: 'start' } }, on: { go: 'done' } }, done: { type: 'final' } },
});
`;

let dir: string;
let io: FakeIo;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tw-check-'));
  symlinkSync(NODE_MODULES, join(dir, 'node_modules'));
  mkdirSync(join(dir, 'workflows'));
  io = fakeIo(dir);
});
afterEach(() => rmSync(dir, { recursive: true }));

const put = (name: string, source: string) => writeFileSync(join(dir, 'workflows', name), source);

it('is 0 when every workflow is good', async () => {
  put('good.ts', GOOD);
  expect(await runCli(['check'], io)).toBe(0);
  expect([io.stdout, io.stderr]).toEqual(['ok       good\n', '']);
});

it('is 2 with the findings of each that is not, and without a stack', async () => {
  put('good.ts', GOOD);
  put('throws.mjs', `throw new Error('no luck');`);
  put('empty.js', 'export const other = 1;');
  expect(await runCli(['check', '--workflows', 'workflows'], io)).toBe(2);
  expect(io.stdout).toMatch(/refused {2}empty \(workflows\/empty\.js\)\n {9}.*empty.* \[\w+\]\n/);
  expect(io.stdout).toMatch(/refused {2}throws \(workflows\/throws\.mjs\)\n {9}.*no luck.* \[\w+\]\n/);
  expect(io.stdout).toContain('ok       good\n');
  expect(io.stdout).not.toMatch(/\n\s+at /);
  expect(io.stderr).toBe('turnwire: 2 of 3 workflows refused\n');
});

it('takes the shipped examples where nothing is said and there is no folder, as dev does', async () => {
  rmSync(join(dir, 'workflows'), { recursive: true });
  expect(await runCli(['check'], io)).toBe(0);
  expect(io.stdout).toBe('ok       review\n');
  expect(io.stderr).toMatch(
    /^turnwire: there is no \.\/workflows here; these are the shipped examples in \/.*examples\n$/,
  );
});

it('is JSON with --json', async () => {
  put('empty.js', 'export const other = 1;');
  expect(await runCli(['check', '--json'], io)).toBe(2);
  expect(JSON.parse(io.stdout)).toMatchObject({
    workflows: [{ name: 'empty', findings: [{ code: expect.any(String) }] }],
  });
});

it.each([
  ['an empty folder', 'workflows', /holds no workflow; add a \.ts, \.js or \.mjs module/],
  ['a missing folder', 'nowhere', /the workflows folder .*nowhere does not exist; set --workflows/],
])('is 2 with one line for %s', async (_name, folder, line) => {
  expect(await runCli(['check', '--workflows', folder], io)).toBe(2);
  expect(io.stderr).toMatch(line);
  expect(io.stderr.trimEnd().split('\n')).toHaveLength(1);
});
