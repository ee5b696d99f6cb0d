import { protocol } from '@turnwire/sdk';
import type { Context } from 'hono';

/** A path parameter that the route has. */
export function parameter(c: Context, name: string): string {
  const value = c.req.param(name);
  if (value === undefined) throw new Error(`the route has no parameter ${name}`);
  return value;
}

/** The client's key, already checked against the spec (TW-GEN-017). */
export const idempotencyKey = (c: Context): string | undefined => c.req.header(protocol.headers.idempotencyKey);

/** TW-GEN-018: says that this is the first answer again. */
export const replayedHeader = (replayed: boolean): Record<string, string> =>
  replayed ? { [protocol.headers.replayed]: 'true' } : {};
