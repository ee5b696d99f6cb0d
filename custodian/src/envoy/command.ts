import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { StartError } from '@turnwire/server';
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
export function printBootstrap(flags: EnvoyFlags): void {
  process.stdout.write(`${JSON.stringify(bootstrap(bootstrapSettings(flags)), null, 2)}\n`);
}

/** Paths become absolute, so that it does not matter where Envoy is started. */
export function bootstrapSettings(flags: EnvoyFlags): BootstrapSettings {
  const { placement, healthPort } = flags;
  if (!placement) throw new StartError('no placement; set --placement or TURNWIRE_PLACEMENT');
  const listen = flags.listen === undefined ? { host: flags.host, port: flags.port } : address(flags.listen);
  if (healthPort === listen.port && listen.port !== 0) {
    throw new StartError(`--health-port must be another than the port itself, ${listen.port}`);
  }
  const tokenFile = resolve(flags.tokenFile ?? flags.placementTokenFile ?? DEFAULT_TOKEN_FILE);
  checkToken(tokenFile, placement);
  return {
    listen,
    orchestratorUrl: flags.orchestratorUrl,
    placement,
    tokenFile,
    caFile: resolve(flags.caFile ?? DEFAULT_CA_FILE),
    ...(healthPort === undefined ? {} : { health: { host: flags.healthHost ?? listen.host, port: healthPort } }),
  };
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
