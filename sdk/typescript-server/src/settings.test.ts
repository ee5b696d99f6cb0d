import { InvalidArgumentError } from 'commander';
import { afterEach, describe, expect, it } from 'vitest';
import {
  command,
  days,
  dnsLabel,
  duration,
  host,
  httpUrl,
  integer,
  path,
  port,
  seconds,
  setting,
  usageLine,
} from './settings.ts';

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

describe.each<{ parse: (text: string) => unknown; good: string[]; bad: string[] }>([
  { parse: port, good: ['0', '8080', '65535'], bad: ['', '-1', '65536', '80a', '1.5'] },
  { parse: path, good: ['a', '/run/a b'], bad: ['', ' '] },
  { parse: integer(1), good: ['1', '32'], bad: ['', '0', '1.5', 'x'] },
  { parse: seconds, good: ['15', '-1', '0.5', '2147483'], bad: ['', 'x', 'Infinity', '2147484', '-2147484'] },
  { parse: duration, good: ['0', '0.5', '2147483'], bad: ['', ' ', 'x', '-1', '2147484'] },
  { parse: days, good: ['0', '0.5', '7'], bad: ['', '-3', '1e999'] },
  {
    parse: httpUrl,
    good: ['http://127.0.0.1:8080', 'https://a.example/x/'],
    bad: ['', '/x', 'file:///x', 'http://a:b@c', 'http://a?', 'http://a/?b=c', 'http://a/#b'],
  },
  {
    parse: host,
    good: ['127.0.0.1', '0.0.0.0', '::', '::1', '[::1]', 'localhost', 'a-b.example'],
    bad: ['', ' ', 'a b', '-a', 'a/b', 'http://a', 'a:80', '[]'],
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

it('brackets around an address are not part of it', () => {
  expect(host('[::1]')).toBe('::1');
});

describe('wrong usage is one line', () => {
  const url = "option '--url <value>' argument";
  const digest = "option '--harness-token-sha256 <value>'";
  it.each([
    ["error: unknown option '--x'\n(Did you mean --y?)\n", "unknown option '--x' (Did you mean --y?)"],
    [`error: ${url} 'http://a:b/c@d' is invalid. No.`, `${url} 'http://…@d' is invalid. No.`],
    [`error: ${digest} argument 'it's it' is invalid. No.`, `${digest} argument is invalid. No.`],
    [`error: ${digest} value 's' from env 'E' is invalid. No.`, `${digest} value from env 'E' is invalid. No.`],
  ])('and repeats no secret: %j', (text, line) => {
    expect(usageLine('turnwire-x', text)).toBe(`turnwire-x: ${line}\n`);
  });
});
