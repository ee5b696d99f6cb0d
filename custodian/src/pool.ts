import { readFileSync } from 'node:fs';
import { protocol } from '@turnwire/sdk';
import { StartError } from '@turnwire/server';
import { Agent } from 'undici';

/** Keep-alive connections to the Orchestrator, dropped after 4 s idle (TW-CUS-023); only the connect has a time (TW-CUS-019). */
export const pool = (caFile: string | undefined): Agent =>
  new Agent({
    connect: { timeout: protocol.custodian.connectTimeoutMs, ...(caFile ? { ca: authorities(caFile) } : {}) },
    keepAliveTimeout: protocol.constants.idleSocketMs,
    keepAliveMaxTimeout: protocol.constants.idleSocketMs,
    headersTimeout: 0,
    bodyTimeout: 0,
  });

function authorities(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new StartError(`the file of authorities ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}
