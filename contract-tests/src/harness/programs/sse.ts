/** Server-sent events: `data`, then always `control`, and the closing one at the end. */
import type { Conversation } from '../conversation.ts';

interface Event {
  readonly name: string;
  readonly data: unknown;
}

export async function everyEvent(in_: Conversation): Promise<void> {
  const { streamUrl } = (in_.known.one ?? {}) as { streamUrl: string };
  const answer = await in_.call({ url: `${streamUrl}&live=sse&offset=-1`, forMs: 10_000 });
  const events = eventsOf(answer.text);
  const wrong = (did: string, should: string) => in_.wrong(did, should, 'TW-STR-015');
  if (!answer.headers['content-type']?.startsWith('text/event-stream')) wrong('sent no event stream', 'send one');
  const data = events.filter(({ name }) => name === 'data').flatMap((each) => each.data as unknown[]);
  const whole = (await in_.call({ url: streamUrl })).json as unknown[];
  if (JSON.stringify(data) !== JSON.stringify(whole))
    wrong(`sent ${data.length} records as events, of ${whole.length}`, 'send each once, in order');
  for (const [index, { name }] of events.entries()) {
    if (name === 'data' && events[index + 1]?.name !== 'control') wrong('sent data without control', 'send both');
  }
  const last = events.at(-1)?.data as { streamClosed?: boolean; streamNextOffset?: string } | undefined;
  if (last?.streamClosed !== true || last.streamNextOffset === undefined)
    in_.wrong('ended without a closing control event', 'send one with streamClosed: true', 'TW-STR-016');
  if (answer.ms > 8_000) in_.wrong('did not end a closed stream', 'end it', 'TW-STR-016');
}

function eventsOf(text: string): Event[] {
  return text
    .split(/\r?\n\r?\n/)
    .map((block) => block.split(/\r?\n/).filter((line) => line !== '' && !line.startsWith(':')))
    .filter((lines) => lines.length > 0)
    .map((lines) => {
      const of = (field: string) =>
        lines
          .filter((line) => line.startsWith(`${field}:`))
          .map((line) => line.slice(field.length + 1).replace(/^ /, ''));
      return { name: of('event')[0] ?? 'message', data: JSON.parse(of('data').join('\n') || 'null') as unknown };
    });
}
