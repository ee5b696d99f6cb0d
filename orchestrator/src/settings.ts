/** What `turnwire-orchestrator serve` is told, by flags or by the environment; flags win. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dnsLabel, host, httpUrl, path, port, StartError, seconds, setting } from '@turnwire/server';
import { Option } from 'commander';

export interface Settings {
  readonly host: string;
  readonly port: number;
  /** Absolute path of the folder of workflow modules. */
  readonly workflows: string;
  /** Absolute path of the SQLite file. */
  readonly database: string;
  /** Absolute path of the folder of `signing.key` and `instance.token`. */
  readonly stateDir: string;
  /** The default placement's Harness. */
  readonly harnessUrl: string;
  readonly placement: string;
  /** Milliseconds; negative: a restart is not waited for. */
  readonly restartGraceMs: number;
  /** Refuse to start when a workflow is refused. */
  readonly strict: boolean;
}

/** What commander makes of `serveOptions`. */
export interface ServeFlags {
  host: string;
  port: number;
  workflows: string;
  databaseUrl: string;
  stateDir: string;
  harnessUrl: string;
  placement: string;
  restartGrace: number;
  strict?: boolean;
}

export const stateDirOption = (): Option =>
  setting('STATE_DIR', 'folder of signing.key and instance.token, made when missing', {
    default: '.turnwire',
    parse: path,
  });

export const workflowsOption = (): Option =>
  setting('WORKFLOWS', 'folder of workflow modules (.ts, .js, .mjs)', { default: 'workflows', parse: path });

export const harnessUrlOption = (): Option =>
  setting('HARNESS_URL', "the default placement's Harness", { default: 'http://127.0.0.1:8080', parse: httpUrl });

export const placementOption = (): Option =>
  setting('PLACEMENT', 'the default placement', { default: 'local', parse: dnsLabel });

export const databaseUrlOption = (): Option =>
  setting('DATABASE_URL', 'where the runs are kept', { default: 'file:.turnwire/orchestrator.db' });

export const restartGraceOption = (): Option =>
  setting('RESTART_GRACE', 'seconds to wait for a restarting node, negative disables', { default: 15, parse: seconds });

export const serveOptions = (): Option[] => [
  setting('HOST', 'address to listen on', { default: '127.0.0.1', parse: host }),
  setting('PORT', 'port to listen on, 0 picks a free one', { default: 4000, parse: port }),
  workflowsOption(),
  databaseUrlOption(),
  stateDirOption(),
  harnessUrlOption(),
  placementOption(),
  restartGraceOption(),
  new Option('--strict', 'exit 2 when a workflow is refused'),
];

/** @throws StartError in one line that names the setting and the remedy */
export function settingsFrom(flags: ServeFlags, cwd = process.cwd()): Settings {
  return {
    host: flags.host,
    port: flags.port,
    workflows: workflowsFolder(flags.workflows, cwd),
    database: databaseFile(flags.databaseUrl, cwd),
    stateDir: resolve(cwd, flags.stateDir),
    harnessUrl: flags.harnessUrl,
    placement: flags.placement,
    restartGraceMs: flags.restartGrace * 1_000,
    strict: flags.strict === true,
  };
}

/** @throws StartError when there is no such folder */
export function workflowsFolder(folder: string, cwd = process.cwd()): string {
  const chosen = resolve(cwd, folder);
  const kind = statSync(chosen, { throwIfNoEntry: false });
  if (kind?.isDirectory()) return chosen;
  const what = kind ? 'is not a folder' : 'does not exist';
  throw new StartError(
    `the workflows folder ${chosen} ${what}; set --workflows or TURNWIRE_WORKFLOWS to a folder of workflow modules`,
  );
}

/** The path of a `file:` URL, relative ones included. @throws StartError for another scheme, or a folder in its place */
export function databaseFile(url: string, cwd = process.cwd()): string {
  const file = pathOf(url, cwd);
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) {
    throw new StartError(
      `the database ${file} is a folder; set --database-url or TURNWIRE_DATABASE_URL to file:PATH of a file`,
    );
  }
  return file;
}

function pathOf(url: string, cwd: string): string {
  if (!/^file:./.test(url)) {
    throw new StartError(
      `the database URL ${withoutCredentials(url)} is not supported; set --database-url or TURNWIRE_DATABASE_URL to file:PATH`,
    );
  }
  if (!url.startsWith('file://')) return resolve(cwd, url.slice('file:'.length));
  try {
    return fileURLToPath(url);
  } catch {
    throw new StartError(`the database URL ${url} names no file of this machine; write file:PATH or file:///PATH`);
  }
}

/** A connection string of some other database may carry a password; it must not reach a log. */
const withoutCredentials = (url: string): string => url.replace(/\/\/[^@/]*@/, '//…@');
