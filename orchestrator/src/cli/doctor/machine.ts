/** What can be looked at without asking anybody: versions, and the files of the state dir. */
import { join } from 'node:path';
import { StartError } from '@turnwire/server';
import { SIGNING_KEY_MIN_BYTES } from '../../limits.ts';
import { readSecret } from '../../secret-file.ts';
import { software } from '../../software.ts';
import { INSTANCE_TOKEN_FILE, SIGNING_KEY_FILE } from '../../tokens.ts';
import type { Finding } from './finding.ts';

/** As `engines` of the manifest. */
const NODE_LEAST = [20, 19] as const;

export function checkMachine(stateDir: string): Finding[] {
  return [
    nodeVersion(process.versions.node),
    { check: 'turnwire', ok: true, detail: software().version },
    secret(join(stateDir, SIGNING_KEY_FILE), 'signing key file', SIGNING_KEY_MIN_BYTES),
    secret(join(stateDir, INSTANCE_TOKEN_FILE), 'instance token file', 1),
  ];
}

export function nodeVersion(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const ok = major > NODE_LEAST[0] || (major === NODE_LEAST[0] && minor >= NODE_LEAST[1]);
  return { check: 'node', ok, detail: version, remedy: `install Node ${NODE_LEAST.join('.')} or newer` };
}

function secret(file: string, check: string, least: number): Finding {
  try {
    const bytes = readSecret(file);
    if (!bytes)
      return {
        check,
        ok: false,
        detail: `${file} is missing`,
        remedy: 'start the orchestrator once, or set --state-dir to its state folder',
      };
    if (bytes.length < least)
      return {
        check,
        ok: false,
        detail: `${file} is too short`,
        remedy: 'remove it, a new one is made at the next start',
      };
    return { check, ok: true, detail: `${file}, this user's alone` };
  } catch (error) {
    if (error instanceof StartError) return { check, ok: false, detail: error.message };
    throw error;
  }
}
