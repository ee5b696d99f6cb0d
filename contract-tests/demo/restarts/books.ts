/** Whether the records, the feed and the metrics tell the same of every execution: as many have ended as have begun. */
import { setTimeout as sleep } from 'node:timers/promises';
import { TERMINAL } from './calls.ts';
import { Findings } from './sequence.ts';
import type { Town } from './town.ts';

const STATUSES = ['succeeded', 'failed', 'cancelled', 'timed_out'] as const;
/** What was held is let go with the last commit of an execution; a busy machine takes a moment for it. */
const SETTLE_MS = 20_000;

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
  const records = await town.calls.list();
  const orphans = records.filter(({ category }) => category === 'agent_restart_orphaned').length;
  const metrics = await settled(town, orphans);
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
  const kept = metrics.get(RUNS_KEPT) ?? Number.NaN;
  was.is(`${kept} runs kept for the abort of one of ${orphans} orphans`, kept <= orphans);
  return { books, was };
}

/** Gauges of what the Orchestrator still keeps in hand. */
const RUNS_KEPT = 'turnwire_runs_live';
const HELD = ['turnwire_executions_live', 'turnwire_restart_waits'];

/** What an orphan left at an address where nobody is any more is owed its abort for a while. */
async function settled(town: Town, orphans: number): Promise<Map<string, number>> {
  const until = Date.now() + SETTLE_MS;
  for (;;) {
    const metrics = await town.metrics();
    const over = HELD.every((name) => metrics.get(name) === 0) && (metrics.get(RUNS_KEPT) ?? 0) <= orphans;
    if (over || Date.now() > until) return metrics;
    await sleep(200);
  }
}
