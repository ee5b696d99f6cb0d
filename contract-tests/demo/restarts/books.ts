/** Whether the records, the feed and the metrics tell the same of every execution: as many have ended as have begun. */
import { setTimeout as sleep } from 'node:timers/promises';
import { TERMINAL } from './calls.ts';
import { Findings } from './sequence.ts';
import type { Town } from './town.ts';

const STATUSES = ['succeeded', 'failed', 'cancelled', 'timed_out'] as const;
/** What was held is let go when its node has heard of the end; what is owed to one that was away takes a moment for it. */
const SETTLE_MS = 40_000;

export interface Book {
  readonly from: string;
  readonly started: number;
  readonly ended: readonly number[];
}

export interface Books {
  readonly books: readonly Book[];
  readonly was: Findings;
}

/** @param whole the feed was followed without a gap: it has a frame for each commit */
export async function audit(town: Town, whole: boolean): Promise<Books> {
  const was = new Findings();
  const metrics = await settled(town);
  const records = await town.calls.list();
  const inRecords: Book = {
    from: 'records',
    started: records.length,
    ended: STATUSES.map((status) => records.filter((record) => record.status === status).length),
  };
  const inMetrics: Book = {
    from: 'metrics',
    started: metrics.get('turnwire_executions_started_total') ?? Number.NaN,
    ended: STATUSES.map((status) => metrics.get(`turnwire_executions_${status}_total`) ?? 0),
  };
  const inFeed: Book = {
    from: 'feed',
    started: town.news.count('execution.started'),
    ended: STATUSES.map((status) => town.news.count(`execution.${status}`)),
  };
  const books = [inRecords, inMetrics, ...(whole ? [inFeed] : [])];
  for (const { from, started, ended } of books) {
    const sum = ended.reduce((one, other) => one + other, 0);
    was.is(`${from}: ${started} started, ${sum} ended`, started === sum);
  }
  was.is(
    'all of them the same',
    books.every((book) => JSON.stringify(book.ended) === JSON.stringify(inRecords.ended)),
  );
  const known = town.calls.made;
  const strange = records.filter(({ executionId }) => !known.has(executionId)).length;
  was.is(`${strange} records that no call was told of`, strange === 0 && records.length === known.size);
  const open = records.filter(({ status }) => !TERMINAL.has(status)).length;
  was.is(`${open} left open`, open === 0);
  const held = HELD.filter((name) => metrics.get(name) !== 0).map((name) => `${name} ${metrics.get(name)}`);
  was.is(`${held.length === 0 ? 'no' : held.join(', ')} hold left`, held.length === 0);
  return { books, was };
}

/** Gauges of what the Orchestrator still keeps in hand. */
const HELD = ['turnwire_executions_live', 'turnwire_restart_waits', 'turnwire_runs_live', 'turnwire_turns_open'];

async function settled(town: Town): Promise<Map<string, number>> {
  const until = Date.now() + SETTLE_MS;
  for (;;) {
    const metrics = await town.metrics();
    if (HELD.every((name) => metrics.get(name) === 0) || Date.now() > until) return metrics;
    await sleep(200);
  }
}
