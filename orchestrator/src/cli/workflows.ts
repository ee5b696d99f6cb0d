/** Which workflows a command means that was not told: those of this folder, else the shipped examples. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { path, setting } from '@turnwire/server';
import type { Option } from 'commander';
import { workflowsFolder } from '../settings.ts';
import { BINS, packageFolder } from './dev/bins.ts';

export const workflowsOrExamples = (): Option =>
  setting('WORKFLOWS', 'folder of workflow modules (default: ./workflows, else the shipped examples)', { parse: path });

export interface Chosen {
  /** Absolute. */
  readonly folder: string;
  /** Nothing was said and there is no ./workflows. */
  readonly examples: boolean;
}

/** @throws StartError when the folder that was given is none */
export function chosenWorkflows(given: string | undefined, cwd: string): Chosen {
  if (given !== undefined) return { folder: workflowsFolder(given, cwd), examples: false };
  if (existsSync(resolve(cwd, 'workflows'))) return { folder: workflowsFolder('workflows', cwd), examples: false };
  return { folder: workflowsFolder(join(packageFolder(BINS.orchestrator.package), 'examples'), cwd), examples: true };
}
