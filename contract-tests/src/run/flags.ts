/** The values of the command line, each refused before anything is started. */
import { mkdirSync, mkdtempSync, readFileSync, rmdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { UsageError } from '../model/command.ts';

/** Exit codes of a run: conformant, not, and (2 is usage) a subject that could not be started. */
export const exits = { conformant: 0, not: 1, usage: 2, notStarted: 3 } as const;

/** The longest wait that a timer takes, in seconds: one that is longer ends at once. */
const mostSeconds = Math.floor((2 ** 31 - 1) / 1000);

const refused = (what: string): never => {
  throw new InvalidArgumentError(`It must be ${what}.`);
};

export function seconds(text: string): number {
  const value = Number(text);
  const isGood = text.trim() !== '' && value >= 0.1 && value <= mostSeconds;
  return isGood ? value : refused(`a number of seconds, 0.1 to ${mostSeconds}`);
}

/** A whole number of at least `least`. */
export const count =
  (least: number) =>
  (text: string): number => {
    const value = Number(text);
    const isGood = /^\d+$/.test(text) && Number.isSafeInteger(value) && value >= least;
    return isGood ? value : refused(`a whole number, at least ${least}`);
  };

/** A port that somebody was told. */
export function port(text: string): number {
  const value = Number(text);
  return /^\d{1,5}$/.test(text) && value >= 1 && value <= 65_535 ? value : refused('a port, 1 to 65535');
}

/** Where a subject is running. */
export function baseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isGood = url?.protocol === 'http:' && url.pathname === '/' && url.search === '' && url.username === '';
  return isGood ? url.origin : refused('http://HOST:PORT');
}

/** One id a line; what follows a `#` is for people. @throws UsageError */
export function readKnown(file: string): string[] {
  return readText(file)
    .split('\n')
    .flatMap((line) => line.replace(/#.*/, '').trim() || []);
}

/** A token or a key, as its file holds it. @throws UsageError */
export const readSecret = (file: string): string => readText(file).replace(/\r?\n$/, '');

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`cannot read ${file}: ${(error as Error).message}`);
  }
}

/** The folder of the report, made if it is not there: a run of minutes must not end in one that cannot be written. @throws UsageError */
export function madeFolder(folder: string): string {
  try {
    make(resolve(folder));
    // Rights say less than an attempt: root may write anywhere, and still not on what is mounted read-only.
    rmdirSync(mkdtempSync(join(folder, '.turnwire-')));
    return folder;
  } catch (error) {
    throw new UsageError(`cannot write the report to ${folder}: ${(error as Error).message}`);
  }
}

/** Folder by folder: under /proc Node's recursive `mkdir` never comes back. */
function make(folder: string): void {
  try {
    mkdirSync(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || dirname(folder) === folder) throw error;
    make(dirname(folder));
    mkdirSync(folder);
  }
}
