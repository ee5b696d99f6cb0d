/** The log of one conversation on disk: what was written, where, and how far readers may see. */
import {
  closeSync,
  constants,
  fdatasync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  writeSync,
} from 'node:fs';
import { promisify } from 'node:util';
import { isPublic, type LogRecord, type PublicRecord } from '../conversation/state.ts';
import { PAGE_BYTES } from '../limits.ts';
import { encodeBlock, scanBlocks } from './block.ts';
import { FolderGone } from './identity.ts';
import { Ranges } from './ranges.ts';

const datasync = promisify(fdatasync);

/** A complete line of a log is wrong: the conversation cannot be trusted, and is answered 410 (TW-DUR-007). */
export class DamagedLog extends Error {
  override readonly name = 'DamagedLog';
}

/** A record and its index in the log. */
export interface Indexed {
  readonly index: number;
  readonly record: PublicRecord;
}

export interface LogPage {
  readonly records: readonly Indexed[];
  /** The index to go on from; the tail that was asked for when everything up to it was read. */
  readonly next: number;
}

export class LogFile {
  /** What readers may see: on disk, and nothing else. */
  readonly ranges = new Ranges();
  /** The index that the next record gets. */
  next = 0;
  #pending: LogRecord[] = [];
  #descriptor: number | undefined;
  #size = 0;
  /** Of each block: where it begins in the file, and the index of its first record. */
  readonly #positions: number[] = [];
  readonly #firsts: number[] = [];

  private constructor(readonly path: string) {}

  /** A log that does not exist yet; its file is made by the first write. */
  static create(path: string): LogFile {
    return new LogFile(path);
  }

  /**
   * Reads a log and cuts a torn tail off it.
   * @throws DamagedLog when more than the tail is wrong
   */
  static open(path: string, each: (record: LogRecord) => void): LogFile {
    const log = new LogFile(path);
    const bytes = readFileSync(path);
    const { blocks, whole, damaged } = scanBlocks(bytes);
    if (damaged) throw new DamagedLog(`${path} is damaged at byte ${whole}`);
    for (const { records, from } of blocks) {
      log.#index(records, from, log.next);
      log.next += records.length;
      for (const record of records) each(record);
    }
    log.#size = whole;
    if (whole < bytes.length) log.#cut(whole);
    return log;
  }

  /** Takes records for the next write. */
  append(records: readonly LogRecord[]): void {
    this.#pending.push(...records);
    this.next += records.length;
  }

  /** Writes what is pending as one block; it is not safe before `sync`. Returns what makes it visible after that. */
  write(): { records: readonly LogRecord[]; commit: () => void; created: boolean } {
    const records = this.#pending;
    this.#pending = [];
    const created = this.#size === 0;
    this.#descriptor ??= this.#openToAppend();
    const block = encodeBlock(records);
    const written = writeSync(this.#descriptor, block);
    if (written !== block.length)
      throw new Error(`only ${written} of ${block.length} bytes were written to ${this.path}`);
    const position = this.#size;
    const first = this.next - records.length;
    this.#size += block.length;
    return { records, created, commit: () => this.#index(records, position, first) };
  }

  async sync(): Promise<void> {
    if (this.#descriptor === undefined) return;
    await datasync(this.#descriptor);
    if (fstatSync(this.#descriptor).nlink === 0) throw new FolderGone(`${this.path} was removed`);
  }

  /** Lets go of the file. A later write opens it again. */
  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  /** Records that readers may see, from an index up to a tail that is on disk; a bounded part of them at a time. */
  read(from: number, tail: number, submissionId?: string): LogPage {
    if (from >= tail) return { records: [], next: from };
    const block = this.#blockOf(from);
    const bytes = this.#readFrom(this.#positions[block] ?? 0);
    const records: Indexed[] = [];
    let index = this.#firsts[block] ?? 0;
    for (const scanned of scanBlocks(bytes).blocks) {
      for (const record of scanned.records) {
        const wanted = isPublic(record) && (submissionId === undefined || record.submissionId === submissionId);
        if (index >= from && index < tail && wanted) records.push({ index, record });
        index++;
      }
      if (index >= tail) break;
    }
    return { records, next: Math.min(index, tail) };
  }

  /** At least one whole block, at most a page of them. */
  #readFrom(position: number): Buffer {
    const descriptor = openSync(this.path, 'r');
    try {
      for (let length = PAGE_BYTES; ; length *= 2) {
        const bytes = Buffer.alloc(Math.min(length, this.#size - position));
        const read = bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, position));
        // A record can be larger than a page (a message of some MiB): then it is the page.
        if (read.includes(0x0a) || read.length < length) return read;
      }
    } finally {
      closeSync(descriptor);
    }
  }

  /** The last block that begins at or before an index. */
  #blockOf(index: number): number {
    let low = 0;
    let high = this.#firsts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#firsts[middle] ?? 0) <= index) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** A log that was written before is not made anew: it would go on in the middle. */
  #openToAppend(): number {
    const append = constants.O_WRONLY | constants.O_APPEND;
    const descriptor = openSync(this.path, this.#size === 0 ? append | constants.O_CREAT : append, 0o600);
    const { size } = fstatSync(descriptor);
    if (size === this.#size) return descriptor;
    closeSync(descriptor);
    throw new Error(`${this.path} has ${size} bytes and not the ${this.#size} that were written to it`);
  }

  #index(records: readonly LogRecord[], position: number, first: number): void {
    this.#positions.push(position);
    this.#firsts.push(first);
    records.forEach((record, offset) => {
      this.ranges.add(record, first + offset);
    });
  }

  #cut(size: number): void {
    const descriptor = openSync(this.path, 'r+');
    ftruncateSync(descriptor, size);
    fsyncSync(descriptor);
    closeSync(descriptor);
  }
}
