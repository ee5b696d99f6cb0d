import { afterEach, expect, it, vi } from 'vitest';
import { onSignals, runMain, StartError } from './lifecycle.ts';

afterEach(() => vi.restoreAllMocks());

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
