/** One stream as its reader sees it: a conversation, or the part of one Submission; only what is on disk. */
import { Problem } from '@turnwire/server';
import type { PublicRecord } from '../conversation/state.ts';
import { formatOffset } from '../log/offset.ts';
import type { Range } from '../log/ranges.ts';
import type { Conversation } from './conversation.ts';
import type { Conversations } from './conversations.ts';

export interface StreamPage {
  readonly records: readonly PublicRecord[];
  /** The index to go on from. */
  readonly next: number;
  readonly upToDate: boolean;
  /** The stream is closed and this reaches its end. */
  readonly closed: boolean;
}

export class Stream {
  constructor(
    readonly conversation: Conversation,
    readonly submissionId: string | undefined,
  ) {}

  /** @throws Problem 410 when the conversation was freed under its reader */
  get range(): Range {
    const { gone, log } = this.conversation;
    const range = this.submissionId === undefined ? log.ranges.whole : log.ranges.submission(this.submissionId);
    if (gone || !range) throw new Problem('stream_gone', 'this conversation was freed');
    return range;
  }

  /** @throws Problem 410 `stream_gone` for another incarnation or a position beyond the tail (TW-STR-022) */
  locate(offset: { incarnation: string; index: number }): number {
    if (offset.incarnation !== this.conversation.visible.incarnation) {
      throw new Problem('stream_gone', 'this offset belongs to an earlier conversation of this id');
    }
    if (offset.index > this.range.tail) throw new Problem('stream_gone', 'this offset lies beyond the tail');
    return offset.index;
  }

  offset(index: number): string {
    return formatOffset(this.conversation.visible.incarnation, index);
  }

  /** Reads on from an index: at least one record, or everything up to the tail. */
  page(from: number): StreamPage {
    const { tail, closed } = this.range;
    let next = from;
    let records: PublicRecord[] = [];
    while (records.length === 0 && next < tail) {
      const page = this.conversation.log.read(next, tail, this.submissionId);
      records = page.records.map(({ record }) => record);
      next = page.next;
    }
    const upToDate = next >= tail;
    return { records, next, upToDate, closed: upToDate && closed };
  }

  /** Resolves when there is something at an index, when the stream is closed or gone, or when a signal says so. */
  wait(index: number, signals: readonly AbortSignal[]): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        stop();
        for (const signal of signals) signal.removeEventListener('abort', done);
        resolve();
      };
      const ready = () => this.conversation.gone || this.range.tail > index || this.range.closed;
      const stop = this.conversation.watch(() => ready() && done());
      for (const signal of signals) signal.addEventListener('abort', done);
      if (ready() || signals.some(({ aborted }) => aborted)) done();
    });
  }
}

/** @throws Problem 404 `unknown_conversation` or `unknown_submission`, 410 `stream_gone`: never an empty stream (TW-STR-023) */
export function openStream(conversations: Conversations, name: string, iid: string, submissionId?: string): Stream {
  const conversation = openConversation(conversations, name, iid);
  if (submissionId !== undefined && !conversation.log.ranges.submission(submissionId)) {
    throw new Problem('unknown_submission', `conversation ${iid} has no Submission ${submissionId.slice(0, 128)}`);
  }
  return new Stream(conversation, submissionId);
}

/** @throws Problem 404 `unknown_conversation`, 410 `stream_gone` (TW-STR-020, TW-HIS-003) */
export function openConversation(conversations: Conversations, name: string, iid: string): Conversation {
  const found = conversations.find(name, iid);
  if (found.is === 'here') return found.conversation;
  if (found.is === 'unknown') throw new Problem('unknown_conversation', `there is no conversation ${iid} here`);
  const why = found.why === 'freed' ? 'was freed' : 'has a log that cannot be read';
  throw new Problem('stream_gone', `conversation ${iid} ${why}`);
}
