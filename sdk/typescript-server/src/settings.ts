import { isIP } from 'node:net';
import { Command, InvalidArgumentError, Option } from 'commander';

/** How a setting is read: by its flag, else by its environment variable, else its default. */
export interface SettingOptions<T> {
  readonly default?: T;
  readonly parse?: (text: string) => T;
  /** What the help prints for the default. */
  readonly defaultText?: string;
}

/**
 * One setting of a role: `TURNWIRE_DATA_DIR` in the environment, `--data-dir` on the command line; the flag wins.
 * @param name the variable's name without `TURNWIRE_`
 */
export function setting<T = string>(name: string, description: string, options: SettingOptions<T> = {}): Option {
  const flag = name.toLowerCase().replaceAll('_', '-');
  const option = new Option(`--${flag} <value>`, description).env(`TURNWIRE_${name}`);
  if (options.default !== undefined) option.default(options.default, options.defaultText);
  if (options.parse) option.argParser(options.parse);
  return option;
}

/** A command whose usage errors are one line and exit code 2, with no stack trace. */
export function command(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .showHelpAfterError(false)
    .configureOutput({
      outputError: (text, write) => write(usageLine(name, text)),
    })
    .exitOverride((error) => {
      process.exit(error.exitCode === 0 ? 0 : 2);
    });
}

/** What the parser says of wrong usage, as our one line: it repeats what it was given, and that may be a secret. */
export function usageLine(program: string, text: string): string {
  const line = text
    .replace(/^error: /, '')
    .trim()
    .replaceAll('\n', ' ')
    .replace(/(option '--\S*token\S* .*?' (?:argument|value)) '.*?' (is invalid|from env '\S*' is invalid)/, '$1 $2')
    .replace(/\/\/[^\s']*@/, '//…@');
  return `${program}: ${line}\n`;
}

const fail = (message: string): never => {
  throw new InvalidArgumentError(message);
};

/** A TCP port, 0 picks a free one. */
export function port(text: string): number {
  const value = Number(text);
  return /^\d{1,5}$/.test(text) && value <= 65_535 ? value : fail('It must be a port, 0 to 65535.');
}

/** What to listen on: an address or a name. An empty one would be every address of the machine. */
export function host(text: string): string {
  const bare = text.replace(/^\[(.*)\]$/, '$1');
  if (isIP(bare) || /^[a-z0-9_]([a-z0-9._-]*[a-z0-9_])?$/i.test(bare)) return bare;
  return fail('It must be an IP address or a host name.');
}

/** A path of a file or a folder; an empty one would be the current folder. */
export function path(text: string): string {
  return text.trim() === '' ? fail('It must be a path, and not empty.') : text;
}

/** A whole number of at least `least`. */
export const integer =
  (least: number) =>
  (text: string): number => {
    const value = Number(text);
    return Number.isSafeInteger(value) && value >= least && text.trim() !== ''
      ? value
      : fail(`It must be a whole number of at least ${least}.`);
  };

/** A number of these bounds, fractions allowed. */
const amount =
  (what: string, least: number, most: number) =>
  (text: string): number => {
    const value = Number(text);
    const isIt = text.trim() !== '' && value >= least && value <= most;
    return isIt
      ? value
      : fail(`It must be a number of ${what}, ${least === -most ? 'at most' : `${least} to`} ${most}.`);
  };

/** A timer of more milliseconds than this would be over at once. */
const LONGEST_TIMER_S = Math.floor((2 ** 31 - 1) / 1_000);

/** Seconds; negative ones mean something of their own. */
export const seconds = amount('seconds', -LONGEST_TIMER_S, LONGEST_TIMER_S);

/** Seconds that something lasts. */
export const duration = amount('seconds', 0, LONGEST_TIMER_S);

/** Days that something is kept. */
export const days = amount('days', 0, 36_500);

/** An absolute http(s) URL that paths are put behind: without credentials, query and fragment, returned without a trailing slash. */
export function httpUrl(text: string): string {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return fail('It must be an absolute http:// or https:// URL.');
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return fail('It must begin with http:// or https://.');
  if (url.username !== '' || url.password !== '') return fail('It must not carry credentials.');
  if (/[?#]/.test(text)) return fail('It must not carry a query or a fragment.');
  return url.href.replace(/\/+$/, '');
}

/** A DNS label: the name of a placement (TW-TOK). */
export function dnsLabel(text: string): string {
  return /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(text)
    ? text
    : fail('It must be a DNS label: lower-case letters, digits and inner hyphens, at most 63.');
}
