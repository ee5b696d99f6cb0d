import pino from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { StartError } from './lifecycle.ts';
import { createLineLogger, createLogger } from './logger.ts';

const write = vi.fn((_text: string) => true);
beforeEach(() => {
  write.mockClear();
  vi.stubEnv('TURNWIRE_LOG_LEVEL', 'info');
  vi.spyOn(pino, 'destination').mockReturnValue({ write } as never);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});
const written = () =>
  write.mock.calls.flatMap(([text]) =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  );

it('a logger writes each line at once, without what could be a credential', () => {
  createLogger('test').info({ token: 'secret', deep: { authorization: 'secret' }, plain: 1 }, 'one');
  expect(written()).toMatchObject([{ role: 'test', msg: 'one', plain: 1, deep: {} }]);
  expect(write.mock.calls.join('')).not.toContain('secret');
});

it('a logger of lines writes those of a while together, and what is left at the end', async () => {
  const before = process.listeners('exit');
  const log = createLineLogger('test');
  const [flush] = process.listeners('exit').filter((listener) => !before.includes(listener));
  log.info({ n: 1 }, 'one');
  log.warn({ n: 2 }, 'two');
  expect(write).not.toHaveBeenCalled();
  await vi.waitFor(() => expect(write).toHaveBeenCalledTimes(1));
  expect(written()).toMatchObject([
    { n: 1, msg: 'one', level: 30 },
    { n: 2, msg: 'two', level: 40 },
  ]);
  log.info('last');
  flush?.call(process, 0);
  expect(written().at(-1)).toMatchObject({ msg: 'last' });
  if (flush) process.off('exit', flush);
});

it('a level that there is none of is one clear line', () => {
  vi.stubEnv('TURNWIRE_LOG_LEVEL', 'odd');
  for (const create of [createLogger, createLineLogger]) {
    expect(() => create('test')).toThrow(StartError);
    expect(() => create('test')).toThrow(/TURNWIRE_LOG_LEVEL must be one of .*info.*, silent, not "odd"/);
  }
  vi.stubEnv('TURNWIRE_LOG_LEVEL', '');
  expect(createLogger('test').level).toBe('info');
});
