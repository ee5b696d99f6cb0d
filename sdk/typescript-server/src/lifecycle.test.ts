import { afterEach, expect, it, vi } from 'vitest';
import { onSignals, runMain, StartError } from './lifecycle.ts';

const unlistened = (['stdout', 'stderr'] as const).map((name) => ({ name, before: process[name].listeners('error') }));
afterEach(() => {
  vi.restoreAllMocks();
  for (const { name, before } of unlistened)
    for (const listener of process[name].listeners('error'))
      if (!before.includes(listener)) process[name].off('error', listener as () => void);
});

it('drains at the first signal and ends at the second', () => {
  const seen: string[] = [];
  const off = onSignals({ drain: (signal) => seen.push(signal), again: () => seen.push('again') });
  process.emit('SIGTERM', 'SIGTERM');
  process.emit('SIGINT', 'SIGINT');
  off();
  expect(seen).toEqual(['SIGTERM', 'again']);
  expect(process.listeners('SIGTERM').length).toBe(0);
});

it('prints a start error as one line with its exit code', async () => {
  const exit = vi.spyOn(process, 'exit').mockImplementation(() => undefined as never);
  const lines: unknown[] = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(text) > 0);
  await runMain('turnwire-x', async () => {
    throw new StartError('the key is\nmissing');
  });
  expect(lines).toEqual(['turnwire-x: the key is missing\n']);
  expect(exit).toHaveBeenCalledWith(2);
});

it('does not swallow a defect', async () => {
  await expect(
    runMain('turnwire-x', async () => {
      throw new Error('defect');
    }),
  ).rejects.toThrow('defect');
});

it.each([
  ['EPIPE', undefined, []],
  ['ENOSPC', 1, ['turnwire-x: the output cannot be written (ENOSPC)\n']],
])('output that is lost (%s) is a line at most', async (code, exitCode, expected) => {
  const before = process.exitCode;
  const lines: unknown[] = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(text) > 0);
  await runMain('turnwire-x', async () => undefined);
  process.exitCode = undefined;
  for (let times = 0; times < 2; times += 1) process.stdout.emit('error', Object.assign(new Error(code), { code }));
  expect([process.exitCode, lines]).toEqual([exitCode, expected]);
  process.exitCode = before;
});
