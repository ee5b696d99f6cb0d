/** Where things are: the ports of the three processes, the database, the Custodian's token file. */
import { statSync } from 'node:fs';
import { StartError, sameText } from '@turnwire/server';
import { readSecret } from '../../secret-file.ts';
import { databaseFile } from '../../settings.ts';
import { placementToken } from '../../tokens.ts';
import type { Finding } from './finding.ts';

/** Two processes at one address: the second one to start ends, and whoever asks it is answered by the other. */
export function checkPorts(urls: Readonly<Record<string, string>>): Finding {
  const places = Object.entries(urls).map(([role, url]) => [role, new URL(url).host] as const);
  const twice = places.filter(([, host]) => places.filter(([, other]) => other === host).length > 1);
  return {
    check: 'ports',
    ok: twice.length === 0,
    detail: places.map(([role, host]) => `${role} ${host}`).join(', '),
    remedy: `give ${twice.map(([role]) => role).join(' and ')} a port each`,
  };
}

/** As the Orchestrator of this machine would open it; one elsewhere has its own. */
export function checkDatabase(url: string, cwd: string): Finding {
  const check = 'database file';
  try {
    const file = databaseFile(url, cwd);
    const mode = statSync(file, { throwIfNoEntry: false })?.mode;
    if (mode === undefined) return { check, ok: true, detail: `${file} is not there yet` };
    if (mode & 0o077)
      return { check, ok: false, detail: `${file} can be read by others`, remedy: `run: chmod 600 ${file}` };
    return { check, ok: true, detail: `${file}, this user's alone` };
  } catch (error) {
    if (error instanceof StartError) return { check, ok: false, detail: error.message };
    throw error;
  }
}

/** What the Custodian was given, held against the key that the Orchestrator derives it from. */
export function checkPlacementToken(file: string, key: Uint8Array | undefined, placement: string): Finding {
  const check = 'placement token file';
  const remedy = `write it anew: turnwire-orchestrator token placement ${placement}`;
  try {
    const token = readSecret(file)?.toString('latin1');
    if (token === undefined) return { check, ok: false, detail: `${file} is missing`, remedy };
    if (key && !sameText(token, placementToken(key, placement)))
      return { check, ok: false, detail: `${file} does not hold the token of ${placement} under this key`, remedy };
    return { check, ok: true, detail: `${file}, this user's alone` };
  } catch (error) {
    if (error instanceof StartError) return { check, ok: false, detail: error.message };
    throw error;
  }
}
