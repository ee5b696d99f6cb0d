/** The limits that are in force: how long each seat tries, what may cost how much, how long things are waited for and kept. */
import { readFileSync } from 'node:fs';
import { protocol } from '@turnwire/sdk';
import { ABORT_WAIT_MS, MAX_NUDGES, OWN_PICK_GRACE_MS, RUN_KEEP_MS, SUCCESSOR_WAIT_MS } from '../../limits.ts';
import type { Finding } from './finding.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

export function checkBudgets(restartGrace: number): Finding[] {
  const { budgetMs, budgetAttempts, connectTimeoutMs, pollWaitSeconds, receiptKeepMs, bodyLimitBytes } =
    protocol.constants;
  const said = (check: string, parts: readonly string[]): Finding => ({ check, ok: true, detail: parts.join(', ') });
  return [
    said('windows', windows()),
    said('budget of a seat', [
      `${seconds(budgetMs)} or ${budgetAttempts} attempts before it is worth a look`,
      `connect ${seconds(connectTimeoutMs)}`,
      `a poll is parked ${pollWaitSeconds} s`,
    ]),
    said('graces', [
      `own pick ${seconds(OWN_PICK_GRACE_MS)}`,
      `owed abort ${seconds(ABORT_WAIT_MS)}`,
      restartGrace < 0 ? 'restart not waited for' : `restart ${restartGrace} s`,
      `successor ${seconds(SUCCESSOR_WAIT_MS)}`,
      `${MAX_NUDGES} nudges`,
    ]),
    said('kept', [
      `receipts ${seconds(receiptKeepMs)}`,
      `ended runs ${RUN_KEEP_MS / DAY_MS} days`,
      `bodies up to ${bodyLimitBytes} bytes`,
    ]),
    descriptors(),
  ];
}

/** Each seat of the wire with the time that it may spend on re-sending, the longest first. */
function windows(): string[] {
  const seats = new Map<string, number | null>();
  for (const { seats: of } of Object.values(protocol.operations))
    for (const [seat, { windowMs }] of Object.entries(of)) if (windowMs !== 0) seats.set(seat, windowMs);
  const longest = [...seats].sort(([, a], [, b]) => (b ?? Infinity) - (a ?? Infinity));
  return longest.map(([seat, ms]) => `${seat} ${ms === null ? 'no limit' : seconds(ms)}`);
}

const seconds = (ms: number): string => `${ms / 1_000} s`;

/** Each parked poll and each reader of a feed is one. Known where the system tells it as a file. */
function descriptors(): Finding {
  const check = 'open files';
  const remedy = 'raise it (ulimit -n) before thousands of agents wait at once';
  let limits: string;
  try {
    limits = readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return { check, ok: true, detail: 'this system does not say how many there may be' };
  }
  const limit = /^Max open files\s+(\d+|unlimited)/m.exec(limits)?.[1] ?? 'unlimited';
  return { check, ok: limit === 'unlimited' || Number(limit) >= LEAST_FILES, detail: `${limit} at most`, remedy };
}

/** Node's own, a database, and some hundred connections. */
const LEAST_FILES = 512;
