/**
 * A log is lines; each line is a block: the checksum of its text, a space, and an array of records as JSON. A block is
 * what one write carries, so that records that belong together are on disk together or not at all.
 */
import { crc32 } from 'node:zlib';
import type { LogRecord } from '../conversation/state.ts';

const CHECKSUM_LENGTH = 8;
const NEWLINE = 0x0a;

const checksum = (text: Uint8Array): string => crc32(text).toString(16).padStart(CHECKSUM_LENGTH, '0');

/** One block as bytes, newline included. */
export function encodeBlock(records: readonly LogRecord[]): Buffer {
  const block = Buffer.from(`${' '.repeat(CHECKSUM_LENGTH + 1)}${JSON.stringify(records)}\n`);
  block.write(checksum(block.subarray(CHECKSUM_LENGTH + 1, -1)), 'latin1');
  return block;
}

/** The records of one line without its newline; undefined when it is not whole. */
export function decodeBlock(line: Buffer): readonly LogRecord[] | undefined {
  const text = line.subarray(CHECKSUM_LENGTH + 1);
  if (line.subarray(0, CHECKSUM_LENGTH + 1).toString('latin1') !== `${checksum(text)} `) return undefined;
  try {
    const records: unknown = JSON.parse(text.toString());
    return Array.isArray(records) ? (records as LogRecord[]) : undefined;
  } catch {
    return undefined;
  }
}

/** One block that was read, and where. */
export interface ReadBlock {
  readonly records: readonly LogRecord[];
  /** Bytes from the start of what was read to the block's first, and to the byte after its newline. */
  readonly from: number;
  readonly to: number;
}

export interface Scan {
  readonly blocks: readonly ReadBlock[];
  /** Bytes up to the last whole block; what follows is a torn tail. */
  readonly whole: number;
  /** A line that is complete and wrong: this is damage, not a torn write, and nothing may be guessed about it. */
  readonly damaged: boolean;
}

/** Reads blocks one after another. A tail without its newline was never acknowledged, and is not read (TW-DUR-001). */
export function scanBlocks(bytes: Buffer): Scan {
  const blocks: ReadBlock[] = [];
  let from = 0;
  for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, from)) {
    const records = decodeBlock(bytes.subarray(from, end));
    if (!records) return { blocks, whole: from, damaged: true };
    blocks.push({ records, from, to: end + 1 });
    from = end + 1;
  }
  return { blocks, whole: from, damaged: false };
}
