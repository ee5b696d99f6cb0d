import { bearerOf, Problem, sameText, sha256 } from '@turnwire/server';
import type { Context } from 'hono';

/** Probes of the machine that the process runs on; everything else takes the token (TW-TOK-015). */
const OPEN = new Set(['/healthz', '/readyz']);

/**
 * Checks the harness token before anything else is looked at. Only its digest is known here (TW-TOK-009), and digests are
 * compared in constant time (TW-TOK-013).
 * @param digest base64url of the SHA-256 of the token's text
 */
export const authorise =
  (digest: string) =>
  (c: Context): void => {
    if (OPEN.has(c.req.path)) return;
    const token = bearerOf(c.req.header('authorization'));
    if (token === undefined || !sameText(sha256(token), digest)) throw unauthorized();
  };

const unauthorized = (): Problem =>
  new Problem('unauthorized', 'this takes the harness token of the placement, as a bearer token', {
    headers: { 'www-authenticate': 'Bearer' },
  });
