/** Where in a log the streams of its readers begin and end. */
import { isPublic, type LogRecord } from '../conversation/state.ts';

/** A stream's part of the log. Indexes count every record of the log, hidden ones too. */
export interface Range {
  /** The index of its first record. */
  readonly first: number;
  /** The index after its last record: the tail. */
  readonly tail: number;
  readonly closed: boolean;
}

/** The whole conversation and each of its Submissions; kept in line with the log, record by record. */
export class Ranges {
  whole: Range | undefined;
  readonly #submissions = new Map<string, Range>();

  submission(submissionId: string): Range | undefined {
    return this.#submissions.get(submissionId);
  }

  add(record: LogRecord, index: number): void {
    if (record.type === 'private.created' || record.type === 'private.freed') {
      this.whole = undefined;
      this.#submissions.clear();
    }
    if (!isPublic(record)) return;
    const tail = index + 1;
    this.whole = { first: this.whole?.first ?? index, tail, closed: false };
    const first = this.#submissions.get(record.submissionId)?.first ?? index;
    this.#submissions.set(record.submissionId, { first, tail, closed: record.type === 'submission.settled' });
  }
}
