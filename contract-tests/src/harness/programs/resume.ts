/** Reading on from every offset that a reader could have kept gives each later record once, in order. */
import type { Conversation } from '../conversation.ts';
import type { StreamRecord } from '../records.ts';

export async function everyRecordOnce(in_: Conversation): Promise<void> {
  const { streamUrl, offset } = (in_.known.one ?? {}) as { streamUrl: string; offset: string };
  const url = streamUrl.replace(/^[a-z]+:\/\/[^/]+/, in_.host.url);
  const whole = await in_.call({ url: `${url}&offset=${offset}` });
  if (whole.status !== 200 || !Array.isArray(whole.json))
    return in_.wrong(`answered the offset of an admission ${whole.status}`, 'keep it valid', 'TW-STR-027');
  const records = whole.json as StreamRecord[];
  const kept = (in_.known.kept ?? {}) as { json?: StreamRecord[]; headers?: Record<string, string> };
  const before = kept.json ?? [];
  const next = kept.headers?.['stream-next-offset'] ?? offset;
  if (JSON.stringify(records.slice(0, before.length)) !== JSON.stringify(before))
    in_.wrong('changed records that a reader was given', 'keep them', 'TW-STR-028');
  // Twice the same offset: a reader whose answer was cut with nothing read asks for the same again.
  for (let copy = 0; copy < 2; copy++) {
    const rest = await in_.call({ url: `${url}&offset=${next}` });
    if (rest.status !== 200) in_.wrong(`answered a kept offset ${rest.status}`, 'keep it valid', 'TW-STR-027');
    else if (JSON.stringify([...before, ...(rest.json as StreamRecord[])]) !== JSON.stringify(records))
      in_.wrong('gave a record twice, or not at all, after a kept offset', 'give each once', 'TW-STR-028');
  }
  const tail = whole.headers['stream-next-offset'] ?? '';
  const end = await in_.call({ url: `${url}&offset=${tail}` });
  if (end.text !== '[]' || end.headers['stream-next-offset'] !== tail)
    in_.wrong('gave something at the tail', 'answer [] and the offset that was asked for', 'TW-STR-004');
}
