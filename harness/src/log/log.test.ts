import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LogRecord, PublicRecord } from '../conversation/state.ts';
import { PAGE_BYTES } from '../limits.ts';
import { decodeBlock, encodeBlock, scanBlocks } from './block.ts';
import { Journal } from './journal.ts';
import { DamagedLog, LogFile } from './log-file.ts';
import { formatOffset, parseOffset } from './offset.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'turnwire-log-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const AT = '2026-01-01T00:00:00.000Z';
const created: LogRecord = { type: 'private.created', iid: 'i', name: 'n', incarnation: 'inc', at: AT };
const delta = (submissionId: string, text: string): PublicRecord => ({
  type: 'message.delta',
  submissionId,
  at: AT,
  messageId: 'm',
  text,
});
const settled = (submissionId: string): PublicRecord => ({
  type: 'submission.settled',
  submissionId,
  at: AT,
  outcome: 'completed',
});

const open = (path: string) => {
  const records: LogRecord[] = [];
  return { log: LogFile.open(path, (record) => records.push(record)), records };
};
const failed = (error: unknown) => {
  throw error;
};

describe('a block', () => {
  it('reads back what was written, line breaks in texts included', () => {
    const records = [delta('a', 'two\nlines ü \u2028')];
    const bytes = encodeBlock(records);
    expect(bytes.indexOf(0x0a)).toBe(bytes.length - 1);
    expect(decodeBlock(bytes.subarray(0, -1))).toEqual(records);
  });

  it('is nothing when a bit of it changed', () => {
    const bytes = encodeBlock([delta('a', 'x')]).subarray(0, -1);
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(decodeBlock(changed)).toBeUndefined();
    }
  });

  it('that is complete and wrong is damage; one that is not complete is a torn tail', () => {
    const good = encodeBlock([delta('a', 'x')]);
    expect(scanBlocks(Buffer.concat([good, Buffer.from('00000000 torn')]))).toMatchObject({
      whole: good.length,
      damaged: false,
    });
    expect(scanBlocks(Buffer.concat([good, Buffer.from('00000000 []\n'), good]))).toMatchObject({ damaged: true });
  });
});

describe('an offset', () => {
  it('sorts as a string and reads back (TW-STR-026)', () => {
    expect(formatOffset('ab1', 7)).toBe('ab1_0000000000000007');
    expect(formatOffset('ab1', 9) < formatOffset('ab1', 10)).toBe(true);
    expect(parseOffset('ab1_0000000000000012')).toEqual({ incarnation: 'ab1', index: 12 });
  });

  it.each(['', '-1', 'now', 'ab1', 'ab1_12', 'AB_0000000000000012', 'a_9999999999999999', 'a_000000000000001x'])(
    'is not %j',
    (text) => {
      expect(parseOffset(text)).toBeUndefined();
    },
  );
});

describe('a log', () => {
  it('shows readers only what is on disk, and the part of one Submission on its own', async () => {
    const journal = new Journal(failed);
    const log = LogFile.create(join(folder, 'a.log'));
    const first = journal.append(log, [created, delta('a', '1')]);
    expect(log.ranges.whole).toBeUndefined();
    await first;
    await Promise.all([
      journal.append(log, [delta('b', '2'), delta('a', '3')]),
      journal.append(log, [settled('a'), { type: 'private.menu', menu: [] }]),
    ]);
    expect(log.ranges.whole).toEqual({ first: 1, tail: 5, closed: false });
    expect(log.ranges.submission('a')).toEqual({ first: 1, tail: 5, closed: true });
    expect(log.ranges.submission('b')).toEqual({ first: 2, tail: 3, closed: false });
    expect(log.read(1, 5, 'a').records.map(({ index }) => index)).toEqual([1, 3, 4]);
    expect(log.read(3, 5).records.map(({ index }) => index)).toEqual([3, 4]);
    expect(log.read(5, 5)).toEqual({ records: [], next: 5 });
    const again = open(log.path).log;
    expect(again.ranges.submission('a')).toEqual(log.ranges.submission('a'));
    expect(again.read(1, 5)).toEqual(log.read(1, 5));
    log.close();
  });

  it('is written by one block for what came while the last was written', async () => {
    const journal = new Journal(failed);
    const log = LogFile.create(join(folder, 'a.log'));
    await Promise.all(Array.from({ length: 20 }, (_, index) => journal.append(log, [delta('a', String(index))])));
    expect(scanBlocks(readFileSync(log.path)).blocks.length).toBe(1);
    log.close();
  });

  it('is read by any user but this one never', async () => {
    const journal = new Journal(failed);
    const log = LogFile.create(join(folder, 'a.log'));
    await journal.append(log, [delta('a', 'x')]);
    expect(statSync(log.path).mode & 0o777).toBe(0o600);
    log.close();
  });

  it('is read a page at a time, and a record larger than a page on its own', async () => {
    const journal = new Journal(failed);
    const log = LogFile.create(join(folder, 'a.log'));
    const texts = ['x'.repeat(PAGE_BYTES / 2), 'y'.repeat(PAGE_BYTES / 2), 'z'.repeat(PAGE_BYTES * 3), 'end'];
    for (const text of texts) await journal.append(log, [delta('a', text)]);
    const seen: number[] = [];
    let pages = 0;
    for (let next = 0; next < 4; pages++) {
      const page = log.read(next, 4);
      seen.push(...page.records.map(({ index }) => index));
      expect(page.next).toBeGreaterThan(next);
      next = page.next;
    }
    expect(seen).toEqual([0, 1, 2, 3]);
    expect(pages).toBeGreaterThan(2);
    log.close();
  });

  it('goes on after its torn tail was cut, without a trace of it', async () => {
    const path = join(folder, 'a.log');
    writeFileSync(path, Buffer.concat([encodeBlock([created, delta('a', '1')]), Buffer.from('12345678 [{"ty')]));
    const { log, records } = open(path);
    expect(records.length).toBe(2);
    await new Journal(failed).append(log, [delta('a', '2')]);
    expect(open(path).records.length).toBe(3);
    log.close();
  });

  it('that is damaged is refused', () => {
    const path = join(folder, 'a.log');
    writeFileSync(path, encodeBlock([created]));
    appendFileSync(path, 'not a block\n');
    expect(() => open(path)).toThrow(DamagedLog);
  });
});

describe('the journal', () => {
  it('reports a failed write and acknowledges nothing after it (TW-DUR-009)', async () => {
    const errors: unknown[] = [];
    const journal = new Journal((error) => errors.push(error));
    const log = LogFile.create(join(folder, 'missing', 'a.log'));
    let acknowledged = false;
    void journal.append(log, [created]).then(() => {
      acknowledged = true;
    });
    await journal.settled();
    expect(errors.length).toBe(1);
    void journal.append(LogFile.create(join(folder, 'b.log')), [created]).then(() => {
      acknowledged = true;
    });
    await journal.settled();
    expect(acknowledged).toBe(false);
  });

  it('writes many logs at a time', async () => {
    const journal = new Journal(failed);
    const logs = Array.from({ length: 300 }, (_, index) => LogFile.create(join(folder, `${index}.log`)));
    await Promise.all(logs.map((log) => journal.append(log, [created])));
    await Promise.all(logs.map((log) => journal.append(log, [delta('a', 'x')])));
    expect(logs.every(({ path }) => open(path).records.length === 2)).toBe(true);
    for (const log of logs) log.close();
  });
});
