import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CHILD_STOP_MS } from '../../limits.ts';
import { BINS, packageFolder } from './bins.ts';

/** What a child is started with so that it drains when this process is gone, even by SIGKILL; it needs an IPC channel. */
export interface Leash {
  readonly execArgv: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** @param addressFile removed then, if it still is this process's own */
export function leash(addressFile?: string): Leash {
  const script = join(packageFolder(BINS.orchestrator.package), 'bin', 'leash.js');
  return {
    execArgv: ['--import', pathToFileURL(script).href],
    env: { TURNWIRE_DEV_LEASH: JSON.stringify({ dev: process.pid, killMs: CHILD_STOP_MS, addressFile }) },
  };
}
