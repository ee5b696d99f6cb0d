import { protocol } from '@turnwire/sdk';
import { Agent } from 'undici';

/** Keep-alive connections to the Orchestrator, dropped after 4 s idle (TW-CUS-023); only the connect has a time (TW-CUS-019). */
export const pool = (ca?: string): Agent =>
  new Agent({
    connect: { timeout: protocol.custodian.connectTimeoutMs, ...(ca === undefined ? {} : { ca }) },
    keepAliveTimeout: protocol.constants.idleSocketMs,
    keepAliveMaxTimeout: protocol.constants.idleSocketMs,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
