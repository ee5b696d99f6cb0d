/** What a marked 502 says in its flags, where it depends on how long it took. */
import { protocol } from '../../client/spec.ts';
import type { Program } from '../programs.ts';

/** Milliseconds that a timer may be early. */
const slackMs = 500;

/** Of a name that does not resolve (TW-CUS-025): that its connection failed is no news, unless the time for it ran out. */
export const namedTheLookup: Program = async (in_) => {
  const { json, ms = 0 } = in_.known.unresolved as { json?: { flags?: unknown[] }; ms?: number };
  const flags = json?.flags ?? [];
  const ranOut = flags.includes('UF') && ms >= protocol.custodian.connectTimeoutMs - slackMs;
  if (flags.includes('DF') || flags.includes('UH') || ranOut) return;
  const did = `said ${JSON.stringify(flags)} after ${ms.toFixed(0)} ms of a name that does not resolve`;
  in_.wrong(did, 'say DF or UH', 'TW-CUS-025');
};
