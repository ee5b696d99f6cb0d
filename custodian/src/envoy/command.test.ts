import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StartError } from '@turnwire/server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ENVOY_FLAGS } from '../limits.ts';
import { bootstrapSettings, type EnvoyFlags } from './command.ts';

const flags: EnvoyFlags = { placement: 'local', orchestratorUrl: 'http://o:4000', host: '127.0.0.1', port: 8081 };
const TOKEN = `local.${'t'.repeat(43)}`;

it.each(['../../README.md', '../../../contract-tests/engines/envoy-custodian.sh'])(
  '%s starts Envoy as the help says',
  (name) => {
    expect(readFileSync(new URL(name, import.meta.url), 'utf8')).toContain(ENVOY_FLAGS);
  },
);

describe('what the envoy command makes of its flags', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'turnwire-envoy-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const file = (text: string, mode: number) => {
    const path = join(folder, 'token');
    writeFileSync(path, text, { mode });
    return path;
  };

  it.each([
    ['127.0.0.1:9000', { host: '127.0.0.1', port: 9000 }],
    ['[::1]:9000', { host: '::1', port: 9000 }],
    [':9000', { host: '127.0.0.1', port: 9000 }],
    ['9000', { host: '127.0.0.1', port: 9000 }],
  ])('--listen %s', (listen, expected) => {
    expect(bootstrapSettings({ ...flags, listen }).listen).toEqual(expected);
  });

  it('makes the token file’s path absolute, which need not be there yet', () => {
    expect(bootstrapSettings({ ...flags, tokenFile: 'not-yet' }).tokenFile).toBe(join(process.cwd(), 'not-yet'));
    const placementTokenFile = file(`${TOKEN}\n`, 0o640);
    expect(bootstrapSettings({ ...flags, placementTokenFile }).tokenFile).toBe(placementTokenFile);
  });

  it('puts the health port on the host, or where it is told to', () => {
    expect(bootstrapSettings({ ...flags, healthPort: 1 }).health).toEqual({ host: '127.0.0.1', port: 1 });
    expect(bootstrapSettings({ ...flags, healthPort: 1, healthHost: '0.0.0.0' }).health?.host).toBe('0.0.0.0');
  });

  it.each<[string, () => Partial<EnvoyFlags>, RegExp]>([
    ['another placement', () => ({ placement: 'other', tokenFile: file(TOKEN, 0o600) }), /of the placement local/],
    ['a token file for everybody', () => ({ tokenFile: file(TOKEN, 0o644) }), /can be read by others/],
    ['an empty token file', () => ({ tokenFile: file('', 0o600) }), /holds no placement token/],
    ['half an address', () => ({ listen: 'localhost' }), /--listen must be HOST:PORT/],
    ['a port too high', () => ({ listen: '127.0.0.1:70000' }), /--listen must be HOST:PORT/],
    ['one port twice', () => ({ healthPort: 8081 }), /--health-port must be another/],
    ['a health host without a port', () => ({ healthHost: '0.0.0.0' }), /set --health-port too/],
    ['a health port that nobody knows', () => ({ healthPort: 0 }), /--health-port must be 1 to 65535/],
    ['a port that nobody knows', () => ({ port: 0 }), /does not tell which free port/],
    ['a name to listen on', () => ({ host: 'localhost' }), /listens on an IP address, not on "localhost"/],
    ['a name in --listen', () => ({ listen: 'localhost:80' }), /listens on an IP address/],
    ['a folder as the token file', () => ({ tokenFile: folder }), /is not a file; name the file/],
    ['authorities for http', () => ({ caFile: file('', 0o600) }), /--ca-file is for an https/],
    [
      'authorities that are not there',
      () => ({ caFile: join(folder, 'none'), orchestratorUrl: 'https://o' }),
      /cannot be read \(ENOENT\); set --ca-file/,
    ],
  ])('refuses %s in one line', (_, more, message) => {
    const run = () => bootstrapSettings({ ...flags, ...more() });
    expect(run).toThrow(StartError);
    expect(run).toThrow(message);
    expect(run).not.toThrow(TOKEN);
  });

  it.each<[string, string, Partial<EnvoyFlags>]>([
    ['--listen and --port', 'listen port', { listen: '127.0.0.1:9000' }],
    ['--listen and --host', 'listen host', { listen: '127.0.0.1:9000' }],
    [
      '--token-file and --placement-token-file',
      'tokenFile placementTokenFile',
      { tokenFile: '/a', placementTokenFile: '/b' },
    ],
  ])('takes one of %s; the environment does not count', (names, typed, more) => {
    expect(() => bootstrapSettings({ ...flags, ...more }, (option) => typed.split(' ').includes(option))).toThrow(
      `${names} say the same thing; leave one of them out`,
    );
    const [first] = typed.split(' ');
    expect(() => bootstrapSettings({ ...flags, ...more }, (option) => option === first)).not.toThrow();
  });

  it('refuses to guess the placement', () => {
    const { placement: _, ...rest } = flags;
    expect(() => bootstrapSettings(rest)).toThrow(/no placement; set --placement/);
  });
});
