import { expect, it } from 'vitest';
import type { RunTable } from '../host/run-table.ts';
import { NODES_SWEEP_EVERY_MS, QUIET_SWEEP_EVERY_MS } from '../limits.ts';
import { Sweeper } from './sweeper.ts';

it('looks soon again once a node is there, however long it meant to sleep before (TW-EXE-034)', async () => {
  const pauses: number[] = [];
  const nodes: object[] = [];
  let registered: () => void = () => undefined;
  let rounds = 0;
  const ended = new AbortController();
  const table = {
    cells: [],
    nodes: {
      list: () => nodes,
      onChange: (listener: () => void) => {
        registered = listener;
        return () => undefined;
      },
    },
    activity: { keep: () => rounds++ },
    options: {
      clock: {
        sleep: (ms: number, signal: AbortSignal) => {
          pauses.push(ms);
          return new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
        },
      },
    },
  };
  const sweeping = new Sweeper(table as unknown as RunTable).run(ended.signal);
  expect(pauses).toEqual([QUIET_SWEEP_EVERY_MS]);
  nodes.push({});
  registered();
  await expect.poll(() => pauses).toEqual([QUIET_SWEEP_EVERY_MS, NODES_SWEEP_EVERY_MS]);
  expect(rounds).toBe(1);
  ended.abort();
  await sweeping;
  expect(rounds).toBe(1);
});
