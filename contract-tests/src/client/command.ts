import { availableParallelism } from 'node:os';
import type { Command } from 'commander';
import { suiteCommand } from '../run/command.ts';
import { runClient } from './run.ts';

/** Most of a check is waiting; more processes than this only make each other late. */
const mostJobs = 8;

/** `turnwire-contract client`: an SDK in any language, by way of its adapter. */
export const clientCommand = (): Command =>
  suiteCommand({
    role: 'client',
    description: 'holds an SDK to the spec, by way of an adapter: see docs/adapters.md',
    starts: 'starts the adapter, in a shell',
    timeout: 'for one command of the adapter',
    jobs: 'adapters that run side by side',
    usualJobs: Math.min(mostJobs, availableParallelism() * 4),
    run: ({ command = '', ...options }) => runClient({ ...options, command }),
  });
