import { setTimeout as sleep } from 'node:timers/promises';
import { protocol } from '@turnwire/sdk';
import { type Exchange, exchange, type Upstream } from './exchange.ts';
import { type Attempt, flagsOf } from './flags.ts';
import { RETRY_PAUSES_MS } from './limits.ts';
import { isRead, type RouteName } from './route.ts';

export type Forwarded =
  | { readonly kind: 'answered'; readonly status: number; readonly attempts: number }
  | {
      readonly kind: 'unreachable';
      readonly flags: readonly string[];
      readonly detail: string;
      readonly attempts: number;
    };

/**
 * Sends a request upstream until it is answered or may not be sent again. A second copy of a pick that may have arrived is
 * not this process's to send (TW-CUS-011).
 */
export async function forward(upstream: Upstream, route: RouteName, request: Exchange): Promise<Forwarded> {
  const started = Date.now();
  const attempts: Attempt[] = [];
  for (;;) {
    const outcome = await exchange(upstream, request);
    if (outcome.kind === 'answered') return { ...outcome, attempts: attempts.length + 1 };
    attempts.push(outcome.attempt);
    const pause = RETRY_PAUSES_MS[attempts.length - 1] ?? 0;
    if (!mayResend(route, attempts, Date.now() - started + pause)) {
      const detail = describe(outcome.error);
      return { kind: 'unreachable', flags: flagsOf(attempts), detail, attempts: attempts.length };
    }
    await sleep(pause);
  }
}

/**
 * A read is sent once more after a reset, however long it had been waiting (TW-CUS-010). Of anything else nothing may have
 * been written, at most twice more within a second; that second also bounds what a connect that failed may cost a read.
 */
export function mayResend(route: RouteName, attempts: readonly Attempt[], spentMs: number): boolean {
  const { pickRetries, readRetries, retryWindowMs } = protocol.custodian;
  const last = attempts.at(-1);
  if (!last || last.caller) return false;
  if (isRead(route)) return attempts.length <= readRetries && (last.written || spentMs < retryWindowMs);
  return attempts.length <= pickRetries && !last.written && spentMs < retryWindowMs;
}

/** The errno and the address; an aggregate (a dual-stack connect) names each of its members. */
function describe(error: unknown): string {
  const members = (error as { errors?: unknown[] } | null)?.errors;
  if (Array.isArray(members) && members.length > 0) return members.map(describe).join('; ');
  return error instanceof Error ? error.message : String(error);
}
