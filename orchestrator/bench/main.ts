/**
 * What the Orchestrator costs, beside what a durable POST costs at all. `npm run bench -- orchestrator`; `BENCH_ONLY=picks,held`
 * measures those parts alone.
 */
import { Sheet } from './figures.ts';
import { measureGrowth, measurePicks } from './picks.ts';
import { measureHeld, measureResolve } from './polls.ts';
import { measureRestore } from './restore.ts';

const parts = {
  picks: measurePicks,
  growth: measureGrowth,
  resolve: measureResolve,
  held: measureHeld,
  restore: measureRestore,
};

const wanted = (process.env.BENCH_ONLY ?? Object.keys(parts).join(',')).split(',');
const sheet = new Sheet();
for (const [name, measure] of Object.entries(parts)) if (wanted.includes(name)) await measure(sheet);
process.exitCode = sheet.broken === 0 ? 0 : 1;
