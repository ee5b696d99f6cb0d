import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CommanderError } from 'commander';
import { afterAll, describe, expect, it } from 'vitest';
import { clientCommand } from '../client/command.ts';
import { custodianCommand } from '../custodian/command.ts';
import { harnessCommand } from '../harness/command.ts';
import { UsageError } from '../model/command.ts';
import { orchestratorCommand } from '../orchestrator/command.ts';

const folder = mkdtempSync(join(tmpdir(), 'turnwire-options-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const started = join(folder, 'started');

const modes = [harnessCommand, orchestratorCommand, custodianCommand, clientCommand];

/** What a command line is refused with; nothing else may come of it. */
async function refusal(of: (typeof modes)[number], args: readonly string[]): Promise<string> {
  const command = of()
    .exitOverride()
    .configureOutput({ outputError: () => undefined });
  try {
    await command.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof UsageError || error instanceof CommanderError) return error.message;
    throw error;
  }
  return 'nothing';
}

const start = ['--command', `touch ${started}; exit 7`];
const wrong: readonly (readonly [readonly string[], RegExp])[] = [
  [[], /give (either )?--command/],
  [[...start, '--timeout', '0'], /--timeout .* must be a number of seconds/],
  [[...start, '--timeout', '-1'], /--timeout/],
  [[...start, '--timeout', 'abc'], /--timeout/],
  [[...start, '--timeout', 'Infinity'], /--timeout/],
  [[...start, '--jobs', '0'], /--jobs .* must be a whole number, at least 1/],
  [[...start, '--jobs', '1.5'], /--jobs/],
  [[...start, '--seed', 'x'], /--seed/],
  [[...start, '--level', 'foo'], /Allowed choices are must, should, may/],
  [[...start, '--only', 'none.such'], /--only none\.such matches no check/],
  [[...start, '--skip', 'none.such'], /--skip none\.such matches no check/],
  [[...start, '--skip', '*'], /no check is left to run/],
  [[...start, '--capability', 'flying'], /--capability flying is none: (there are .*|no check of this mode needs any)/],
  [[...start, '--known-failing', '/none'], /cannot read \/none/],
  [[...start, '--known-failing', folder], /cannot read/],
  [[...start, '--known-failing', file('known', 'a.b # not there\n')], /there is no check a\.b/],
  [[...start, '--report', join(file('plain', ''), 'report')], /cannot write the report to .*ENOTDIR/],
  [[...start, '--report', file('flat', '')], /cannot write the report to .*ENOTDIR/],
  [[...start, '--report', '/proc/none/report'], /cannot write the report to \/proc\/none\/report/],
  [[...start, '--nonsense'], /unknown option/],
  [[...start, 'more'], /too many arguments/],
];

describe.each(modes.map((of) => [of().name(), of] as const))('turnwire-contract %s', (name, of) => {
  // An adapter says first which vectors are its own.
  const rows = name === 'client' ? wrong.filter(([args]) => !args.includes('*')) : wrong;
  it.each(rows)('refuses %j before anything is started', async (args, words) => {
    expect(await refusal(of, args)).toMatch(words);
    expect(existsSync(started)).toBe(false);
  });
});

const key = file('key', 'k'.repeat(43));
const here = ['--url', 'http://127.0.0.1:1'];
it.each([
  [harnessCommand, ['--url', 'localhost'], /must be http:\/\/HOST:PORT/],
  [harnessCommand, ['--url', 'localhost:80'], /must be http:\/\/HOST:PORT/],
  [harnessCommand, ['--url', 'https://localhost'], /must be http:\/\/HOST:PORT/],
  [harnessCommand, ['--url', 'http://localhost/base'], /must be http:\/\/HOST:PORT/],
  [harnessCommand, here, /--url needs --token, --orchestrator-port, --model-port/],
  [harnessCommand, [...here, ...start], /give either --command or --url/],
  [harnessCommand, [...start, '--token', 't'], /--token: with --url alone/],
  [harnessCommand, [...here, '--orchestrator-port', '70000'], /must be a port/],
  [orchestratorCommand, here, /--url needs --instance-token, --signing-key-file, --harness-port/],
  [orchestratorCommand, [...here, ...start], /give either --command or --url/],
  [
    orchestratorCommand,
    [...here, '--instance-token', 't', '--signing-key-file', '/none', '--harness-port', '9'],
    /cannot read \/none/,
  ],
  [custodianCommand, here, /--url needs --placement-token-file, --orchestrator-port/],
  [custodianCommand, [...here, ...start], /give either --command or --url/],
  [custodianCommand, [...here, '--placement-token-file', '/none', '--orchestrator-port', '9'], /cannot read \/none/],
  [custodianCommand, [...here, '--placement-token-file', key, '--orchestrator-port', 'x'], /must be a port/],
  [clientCommand, here, /unknown option '--url'/],
])('%# an address is refused with what is wrong with it', async (of, args, words) => {
  expect(await refusal(of, args)).toMatch(words);
});

describe('the program says it in one line that begins with its name', () => {
  const main = fileURLToPath(new URL('../main.ts', import.meta.url));
  it.each([
    [
      3,
      ['custodian', '--command', 'echo Error: why >&2; exit 7'],
      /^turnwire-contract: the subject ended before it listened: Error: why\n$/,
    ],
    [2, ['harness', '--comand', 'x'], /^turnwire-contract: unknown option '--comand' \(Did you mean --command\?\)\n$/],
    [2, ['orchestrator', ...start, '--timeout', '-1'], /^turnwire-contract: option '--timeout <seconds>' .*\n$/],
    [2, ['model'], /^turnwire-contract: required option '--script <file>' not specified\n$/],
    [2, ['list', '--jsn'], /^turnwire-contract: unknown option '--jsn' .*\n$/],
    [2, ['fly'], /^turnwire-contract: unknown command 'fly'.*\n$/],
    [
      2,
      ['custodian', ...start, '--report', '/proc/x'],
      /^turnwire-contract: cannot write the report to \/proc\/x: .*\n$/,
    ],
  ])('exits %i for %j', { timeout: 60_000 }, (expected, args, words) => {
    const flags = ['--conditions=turnwire-source', '--import', 'tsx', main];
    const { status, stderr } = spawnSync('node', [...flags, ...args], { timeout: 50_000, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: expected, stderr: expect.stringMatching(words) });
  });
});
