/** Offsets of one conversation, enough of them that a number of another width would sort wrong. */
import type { Conversation } from '../conversation.ts';

const submissions = 12;

export async function offsets(in_: Conversation): Promise<void> {
  const path = `/agents/${in_.agent}/${in_.iid}?view=updates`;
  const given: string[] = [];
  for (let nth = 0; nth < submissions; nth++) {
    const { json } = await in_.admit({});
    const { offset = '', streamUrl = '' } = (json ?? {}) as { offset?: string; streamUrl?: string };
    let tail: Record<string, string> = { 'stream-next-offset': offset };
    while (tail['stream-closed'] !== 'true') {
      const { status, headers } = await in_.call({
        url: `${streamUrl}&live=long-poll&offset=${tail['stream-next-offset']}`,
      });
      if (status !== 200 && status !== 204) return in_.wrong(`answered a read with ${status}`, 'give its records');
      tail = { ...headers };
    }
    const { headers } = await in_.call({ path, method: 'HEAD' });
    given.push(offset, headers['stream-next-offset'] ?? '');
  }
  judge(in_, given);
}

function judge(in_: Conversation, given: readonly string[]): void {
  const odd = given.find((offset) => !/^[^,&=?/]{1,255}$/.test(offset) || offset === '-1' || offset === 'now');
  if (odd !== undefined) in_.wrong(`gave the offset ${odd}`, 'give one that fits into a query', 'TW-STR-026');
  const back = given.findIndex((offset, index) => index > 0 && offset < (given[index - 1] ?? ''));
  if (back > 0) {
    const did = `gave the offset ${given[back]} after ${given[back - 1]}`;
    in_.wrong(did, 'give offsets that sort as strings in log order', 'TW-STR-026');
  }
}
