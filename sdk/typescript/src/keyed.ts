/** What the seats for people share: keys, and pages of lists. */
import { checkKey } from './arguments.ts';
import { objectOf } from './ask.ts';
import { type Answer, headerOf } from './certainty.ts';
import { protocol } from './gen/protocol.ts';
import type { Page } from './wire.ts';

const { headers } = protocol;

/** The `Idempotency-Key` of a call; minted when the caller gave none, so that it can be sent again. */
export function keyHeader(key: string = crypto.randomUUID()): Record<string, string> {
  checkKey(key, 'key');
  return { [headers.idempotencyKey]: key };
}

/** Whether the key was known, and this is its answer again (TW-GEN-018). */
export function isReplayed(answer: Answer): boolean {
  return headerOf(answer, headers.replayed) === 'true';
}

/** One page of a list (TW-GEN-014). */
export function pageOf<Item>(answer: Answer): Page<Item> | undefined {
  const body = objectOf(answer);
  if (body === undefined || !Array.isArray(body.items)) return undefined;
  const page = { items: body.items as Item[] };
  return typeof body.nextCursor === 'string' ? { ...page, nextCursor: body.nextCursor } : page;
}
