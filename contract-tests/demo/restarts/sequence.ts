/** One row of the table: what happens, what must come of it, and what came. */
import { type Answered, type Execution, spent, text } from './calls.ts';
import type { Town } from './town.ts';

export interface Sequence {
  readonly name: string;
  readonly must: string;
  run(was: Findings): Promise<void>;
}

export class Findings {
  readonly said: string[] = [];
  readonly missed: string[] = [];

  /** Something that was seen, and whether it is what had to be. */
  is(what: string, ok: boolean): void {
    this.said.push(ok ? what : `NOT: ${what}`);
    if (!ok) this.missed.push(what);
  }

  answered(answered: Answered, status: number, code?: string): void {
    this.is(
      `${text(answered)} after ${seconds(answered.ms)}`,
      answered.status === status && (!code || code === answered.code),
    );
  }

  /** One execution from its start to its one end, in the record and the feed, and what arrived at the model. */
  async ended(town: Town, execution: Execution, marker: string, must: Expected): Promise<void> {
    const { executionId, status, category } = execution;
    const ended = `${status}${category ? ` ${category}` : ''}`;
    this.is(ended, ended === must.as);
    await town.news.until(({ type, data }) => type === `execution.${status}` && data.executionId === executionId);
    const started = town.news.count('execution.started', executionId);
    const terminal = TERMINAL_EVENTS.reduce((sum, type) => sum + town.news.count(type, executionId), 0);
    this.is(`started ${started}, ended ${terminal}`, started === 1 && terminal === 1);
    const asked = town.asked(marker);
    this.is(`worked on ${asked} times`, asked === must.asked);
    if (status === 'succeeded') this.is('its own answer', execution.result?.echo === marker);
  }

  /** Whether it waited for its node, and how long in milliseconds. */
  waited(execution: Execution, least: number, most: number): void {
    const ms = spent(execution, 'awaiting_restart');
    const what = ms === undefined ? 'it did not await a restart' : `awaited the restart for ${seconds(ms)}`;
    this.is(what, ms !== undefined && ms >= least && ms <= most);
  }
}

interface Expected {
  /** Status and category. */
  readonly as: string;
  /** How often the model was to work on it. */
  readonly asked: number;
}

export const TERMINAL_EVENTS = [
  'execution.succeeded',
  'execution.failed',
  'execution.cancelled',
  'execution.timed_out',
] as const;

export const seconds = (ms: number): string => `${(ms / 1_000).toFixed(ms < 100 ? 3 : 1)} s`;
