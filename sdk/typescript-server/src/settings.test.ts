import { InvalidArgumentError } from 'commander';
import { afterEach, describe, expect, it } from 'vitest';
import { command, dnsLabel, httpUrl, integer, port, seconds, setting } from './settings.ts';

describe('setting', () => {
  afterEach(() => {
    delete process.env.TURNWIRE_PORT;
  });
  const read = (args: string[]) =>
    command('turnwire-x', 'a role')
      .addOption(setting('PORT', 'the port', { default: 4000, parse: port }))
      .parse(args, { from: 'user' })
      .opts<{ port: number }>().port;

  it('takes the flag before the environment before the default', () => {
    expect(read([])).toBe(4000);
    process.env.TURNWIRE_PORT = '4001';
    expect(read([])).toBe(4001);
    expect(read(['--port', '4002'])).toBe(4002);
  });
});

describe.each([
  { parse: port, good: ['0', '8080', '65535'], bad: ['', '-1', '65536', '80a', '1.5'] },
  { parse: integer(1), good: ['1', '32'], bad: ['', '0', '1.5', 'x'] },
  { parse: seconds, good: ['15', '-1', '0.5'], bad: ['', 'x', 'Infinity'] },
  {
    parse: httpUrl,
    good: ['http://127.0.0.1:8080', 'https://a.example/x/'],
    bad: ['', '/x', 'file:///x', 'http://a:b@c'],
  },
  { parse: dnsLabel, good: ['a', 'local', 'a-1'], bad: ['', '-a', 'a-', 'A', 'a.b', 'a'.repeat(64)] },
])('$parse.name', ({ parse, good, bad }) => {
  it.each(good)('takes %j', (text) => {
    expect(() => parse(text)).not.toThrow();
  });
  it.each(bad)('refuses %j', (text) => {
    expect(() => parse(text)).toThrow(InvalidArgumentError);
  });
});

it('returns a URL without a slash at its end', () => {
  expect(httpUrl('http://127.0.0.1:8080/')).toBe('http://127.0.0.1:8080');
});
