/** A cursor never goes back: a cache between reader and harness must not answer the same request for ever. */
import type { Conversation } from '../conversation.ts';

export async function cursors(in_: Conversation): Promise<void> {
  const path = `/agents/${in_.agent}/${in_.iid}?view=updates&live=long-poll&offset=-1`;
  const cursorOf = async (asked: string) => (await in_.call({ path: path + asked })).headers['stream-cursor'] ?? '';
  let before = await cursorOf('');
  if (!/^\d+$/.test(before)) in_.wrong(`gave the cursor ${before}`, 'give a decimal number', 'TW-STR-014');
  for (let nth = 0; nth < 3; nth++) {
    const next = await cursorOf(`&cursor=${before}`);
    if (!(Number(next) > Number(before))) {
      in_.wrong(`answered the cursor ${before} with ${next}`, 'give a strictly greater one', 'TW-STR-014');
      return;
    }
    before = next;
  }
}
