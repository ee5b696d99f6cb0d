import { existsSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { StartError } from '@turnwire/server';
import { readAuthorities } from '../authorities.ts';
import { checkHealth } from '../health.ts';
import { DEFAULT_CA_FILE, DEFAULT_TOKEN_FILE } from '../limits.ts';
import { openTokenFile } from '../token-file.ts';
import { type Address, type BootstrapSettings, bootstrap } from './bootstrap.ts';

/** What the command line and the environment say. */
export interface EnvoyFlags {
  readonly placement?: string;
  readonly orchestratorUrl: string;
  readonly listen?: string;
  readonly host: string;
  readonly port: number;
  readonly placementTokenFile?: string;
  readonly tokenFile?: string;
  readonly healthPort?: number;
  readonly healthHost?: string;
  readonly caFile?: string;
}

/** Prints a complete bootstrap, and nothing else. @throws StartError in one line about what is missing or wrong */
export function printBootstrap(flags: EnvoyFlags, typed: Typed): void {
  process.stdout.write(`${JSON.stringify(bootstrap(bootstrapSettings(flags, typed)), null, 2)}\n`);
}

/** Whether an option stands on the command line itself: those win over the environment, and two for one thing are a mistake. */
export type Typed = (option: keyof EnvoyFlags) => boolean;

/** Paths become absolute, so that it does not matter where Envoy is started. */
export function bootstrapSettings(flags: EnvoyFlags, typed: Typed = () => false): BootstrapSettings {
  const { placement, healthPort, orchestratorUrl, caFile } = flags;
  if (!placement) throw new StartError('no placement; set --placement or TURNWIRE_PLACEMENT');
  oneOf(typed, ['listen', 'port'], ['listen', 'host'], ['tokenFile', 'placementTokenFile']);
  const listen = flags.listen === undefined ? { host: flags.host, port: flags.port } : address(flags.listen);
  const health = healthPort === undefined ? undefined : { host: flags.healthHost ?? listen.host, port: healthPort };
  checkHealth({ ...flags, port: listen.port });
  for (const each of [listen, ...(health ? [health] : [])]) checkAddress(each);
  const tokenFile = resolve(flags.tokenFile ?? flags.placementTokenFile ?? DEFAULT_TOKEN_FILE);
  checkToken(tokenFile, placement);
  if (caFile !== undefined) readAuthorities(caFile, orchestratorUrl);
  return {
    listen,
    orchestratorUrl,
    placement,
    tokenFile,
    caFile: resolve(caFile ?? DEFAULT_CA_FILE),
    ...(health && { health }),
  };
}

function oneOf(typed: Typed, ...pairs: (readonly [keyof EnvoyFlags, keyof EnvoyFlags])[]): void {
  for (const pair of pairs) {
    if (!pair.every(typed)) continue;
    const [one, other] = pair.map((option) => `--${option.replace(/[A-Z]/g, (char) => `-${char.toLowerCase()}`)}`);
    throw new StartError(`${one} and ${other} say the same thing; leave one of them out`);
  }
}

/** Envoy looks no name up to listen, and does not tell which port it was given. */
function checkAddress({ host, port }: Address): void {
  if (isIP(host) === 0) throw new StartError(`Envoy listens on an IP address, not on ${JSON.stringify(host)}`);
  if (port === 0) throw new StartError('Envoy does not tell which free port it picks; give it a port of 1 to 65535');
}

/** A file that is there already is held to what Envoy will hold it to; one may also come later, with the pod. */
function checkToken(file: string, placement: string): void {
  if (!existsSync(file)) return;
  const found = openTokenFile(file).read().placement;
  if (found !== placement) throw new StartError(`${file} holds the token of the placement ${found}, not ${placement}`);
}

/** `HOST:PORT`, `[::1]:PORT`, `:PORT` or `PORT`. */
function address(text: string): Address {
  const parts = /^(?:(?:\[([0-9a-f:.]+)\]|([^:[\]\s]*)):)?(\d{1,5})$/i.exec(text);
  const port = Number(parts?.[3]);
  if (!parts || port > 65_535) throw new StartError(`--listen must be HOST:PORT, not ${JSON.stringify(text)}`);
  return { host: parts[1] || parts[2] || '127.0.0.1', port };
}
