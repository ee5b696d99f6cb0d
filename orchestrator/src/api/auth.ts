import { bearerOf, Problem } from '@turnwire/server';
import type { Context } from 'hono';
import type { Caller, Tokens } from '../tokens.ts';

/** TW-GEN-010: no token, or one that does not verify, is 401 before anything else is looked at. */
function caller(c: Context, tokens: Tokens): Caller {
  const known = tokens.identify(bearerOf(c.req.header('authorization')));
  if (known) return known;
  throw new Problem('unauthorized', 'this needs an `Authorization: Bearer` header with a token of this orchestrator', {
    headers: { 'www-authenticate': 'Bearer' },
  });
}

/** What is served to everybody (TW-TOK-014). */
const OPEN = new Set(['/healthz', '/readyz', '/metrics', '/.well-known/turnwire']);

/** Asked before another version is refused: a stranger is a stranger in every version. */
export const refuseStrangers =
  (tokens: Tokens) =>
  (c: Context): void => {
    if (!OPEN.has(c.req.path)) caller(c, tokens);
  };

/** TW-TOK-006, TW-GEN-011: the agent surface takes placement tokens alone. Returns the placement that the token names. */
export function placementOf(c: Context, tokens: Tokens): string {
  const who = caller(c, tokens);
  if (who.kind === 'placement') return who.placement;
  throw new Problem('forbidden', `a placement token is needed here, not ${article(who.kind)} token`);
}

/** TW-TOK-017, TW-GEN-011: runs, gates, workflows and feeds take the instance token alone. */
export function requireInstance(c: Context, tokens: Tokens): void {
  const who = caller(c, tokens);
  if (who.kind !== 'instance')
    throw new Problem('forbidden', `the instance token is needed here, not ${article(who.kind)} token`);
}

const article = (kind: string): string => (kind === 'instance' ? `an ${kind}` : `a ${kind}`);
