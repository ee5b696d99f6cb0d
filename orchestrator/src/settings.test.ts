import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ServeFlags, serveOptions, settingsFrom } from './settings.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tw-settings-'));
  mkdirSync(join(dir, 'workflows'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(dir, { recursive: true });
});

function read(...argv: string[]) {
  const command = new Command('serve').exitOverride().configureOutput({ writeErr: () => undefined });
  for (const option of serveOptions()) command.addOption(option);
  return settingsFrom(command.parse(argv, { from: 'user' }).opts<ServeFlags>(), dir);
}

describe('the settings of serve', () => {
  it('have the defaults of the spec', () => {
    expect(read()).toEqual({
      host: '127.0.0.1',
      port: 4000,
      workflows: join(dir, 'workflows'),
      database: join(dir, '.turnwire/orchestrator.db'),
      stateDir: join(dir, '.turnwire'),
      harnessUrl: 'http://127.0.0.1:8080',
      placement: 'local',
      restartGraceMs: 15_000,
      strict: false,
    });
  });

  it('are read from the environment', () => {
    vi.stubEnv('TURNWIRE_HOST', '0.0.0.0');
    vi.stubEnv('TURNWIRE_PORT', '0');
    vi.stubEnv('TURNWIRE_WORKFLOWS', dir);
    vi.stubEnv('TURNWIRE_DATABASE_URL', 'file:///var/lib/tw%20x/db');
    vi.stubEnv('TURNWIRE_STATE_DIR', '/state');
    vi.stubEnv('TURNWIRE_HARNESS_URL', 'https://harness.test/base/');
    vi.stubEnv('TURNWIRE_PLACEMENT', 'far-away');
    vi.stubEnv('TURNWIRE_RESTART_GRACE', '-1');
    expect(read()).toEqual({
      host: '0.0.0.0',
      port: 0,
      workflows: dir,
      database: '/var/lib/tw x/db',
      stateDir: '/state',
      harnessUrl: 'https://harness.test/base',
      placement: 'far-away',
      restartGraceMs: -1_000,
      strict: false,
    });
  });

  it.each(['HOST', 'WORKFLOWS', 'STATE_DIR', 'HARNESS_URL', 'PLACEMENT'])('an empty %s is refused', (name) => {
    vi.stubEnv(`TURNWIRE_${name}`, '');
    expect(() => read()).toThrow(/is invalid/);
  });

  it('are read from flags, which win', () => {
    vi.stubEnv('TURNWIRE_PORT', '1');
    vi.stubEnv('TURNWIRE_PLACEMENT', 'env');
    const settings = read(
      '--port',
      '2',
      '--placement',
      'flag',
      '--database-url',
      'file:x.db',
      '--restart-grace',
      '2.5',
      '--strict',
    );
    expect(settings).toMatchObject({
      port: 2,
      placement: 'flag',
      database: join(dir, 'x.db'),
      restartGraceMs: 2_500,
      strict: true,
    });
  });

  it.each([
    ['a missing folder', ['--workflows', 'nowhere'], /nowhere does not exist; set --workflows or TURNWIRE_WORKFLOWS/],
    ['a file in its place', ['--workflows', 'file'], /file is not a folder; set --workflows/],
    ['a folder for a database', ['--database-url', 'file:workflows'], /workflows is a folder; set --database-url/],
    [
      'another database',
      ['--database-url', 'postgres://u:secret@h/d'],
      /postgres:\/\/…@h\/d is not supported; set --database-url/,
    ],
    ['a bare path', ['--database-url', 'orchestrator.db'], /is not supported; .* to file:PATH/],
    ['a file of another machine', ['--database-url', 'file://host/x'], /names no file of this machine/],
  ])('refuse %s in one line', (_name, argv, line) => {
    writeFileSync(join(dir, 'file'), '');
    expect(() => read(...argv)).toThrow(line);
  });

  it.each([
    ['--port', '65536'],
    ['--port', 'x'],
    ['--harness-url', 'ftp://x'],
    ['--placement', 'Not_A_Label'],
    ['--restart-grace', 'soon'],
    ['--no-such-flag', ''],
  ])('refuse %s %s', (flag, value) => expect(() => read(flag, value)).toThrow());
});
