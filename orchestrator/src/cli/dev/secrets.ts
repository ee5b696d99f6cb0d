import { chmodSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { harnessTokenDigest, instanceToken, placementToken, signingKey } from '../../tokens.ts';

/** What the three processes are given so that they trust one another; made in the state dir when missing. */
export interface DevSecrets {
  /** 0600; only its Custodian reads it. */
  readonly placementTokenFile: string;
  readonly harnessTokenSha256: string;
}

/** @throws StartError when a key or token file cannot be trusted or made */
export function devSecrets(stateDir: string, placement: string): DevSecrets {
  const key = signingKey(stateDir);
  instanceToken(stateDir);
  const placementTokenFile = join(stateDir, 'placement.token');
  // Aside and renamed: a Custodian that reads it at this moment sees the old token or the new one.
  const aside = `${placementTokenFile}.${process.pid}`;
  writeFileSync(aside, `${placementToken(key, placement)}\n`, { mode: 0o600 });
  chmodSync(aside, 0o600);
  renameSync(aside, placementTokenFile);
  return { placementTokenFile, harnessTokenSha256: harnessTokenDigest(key, placement) };
}
