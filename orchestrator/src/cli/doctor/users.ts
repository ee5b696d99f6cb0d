/** Whether what an agent executes could read the Custodian's token out of that process: both run as the same user. */
import { readFileSync } from 'node:fs';
import type { Finding } from './finding.ts';

const LISTENING = '0A';
const ROOT = 0;

/**
 * Whose socket listens at a port of this machine, by Linux's own tables; undefined for none, and where there are none.
 * @param tables the text of `/proc/net/tcp` and `/proc/net/tcp6`
 */
export function listenerOf(port: number, tables: readonly string[]): number | undefined {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  for (const row of tables.flatMap((table) => table.split('\n').slice(1))) {
    const [, local = '', , state, , , , user] = row.trim().split(/\s+/);
    if (state === LISTENING && local.endsWith(suffix)) return Number(user);
  }
  return undefined;
}

/** A warning and no failure: on a laptop it is so, and in a cluster it must not be. Nothing where it cannot be told. */
export function checkUsers(
  { custodian, harness }: Readonly<Record<'custodian' | 'harness', string>>,
  tables: readonly string[] = tablesOfThisMachine(),
): Finding[] {
  const [its, theirs] = [custodian, harness].map((url) => (isHere(url) ? listenerOf(portOf(url), tables) : undefined));
  if (its === undefined || theirs === undefined) return [];
  const check = 'custodian user';
  if (its !== theirs && theirs !== ROOT) {
    return [{ check, ok: true, detail: `${its}, the harness runs as ${theirs}` }];
  }
  const detail =
    its === theirs
      ? `${its}, as the harness: what an agent executes can read the token out of its memory`
      : `${its}, and the harness runs as root: what an agent executes can read everything`;
  return [{ check, ok: true, warning: true, detail, remedy: 'run the Custodian as a user of its own' }];
}

const isHere = (url: string) => ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(url).hostname);

function portOf(url: string): number {
  const { port, protocol } = new URL(url);
  return Number(port) || (protocol === 'https:' ? 443 : 80);
}

function tablesOfThisMachine(): string[] {
  return ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) => {
    try {
      return [readFileSync(file, 'latin1')];
    } catch {
      return [];
    }
  });
}
