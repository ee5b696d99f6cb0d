/** What the subject makes of its files: secrets that are good or not, workflows that were edited. */
import { chmodSync, cpSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SubjectError } from '../harness/subject.ts';
import { statecharts } from './load.ts';
import type { Program } from './programs.ts';
import type { Scene } from './scene.ts';
import type { ProcessHost } from './stage.ts';
import { perform } from './steps.ts';

/** It must end instead of serving. */
async function mustNotStart(in_: Scene, process: ProcessHost, with_: string, settings: Record<string, string> = {}) {
  try {
    await process.start(settings);
  } catch (error) {
    if (error instanceof SubjectError) return;
    throw error;
  }
  in_.wrong(`started ${with_}`, 'refuse to start');
  await process.kill();
}

export const keyFilesRefused: Program = async (in_) => {
  const { process } = in_.host;
  if (!process) return;
  await process.kill();
  const file = join(process.folder, 'state', 'signing.key');
  writeFileSync(file, `${'k'.repeat(31)}\n`);
  await mustNotStart(in_, process, 'with a key of 31 bytes');
  writeFileSync(file, `${'k'.repeat(32)}\n`);
  chmodSync(file, 0o644);
  await mustNotStart(in_, process, 'with a key that others can read');
};

export const placementNamesRefused: Program = async (in_) => {
  const { process } = in_.host;
  if (!process) return;
  await process.kill();
  for (const name of ['Local', 'a_b', '-a', 'a-', 'a'.repeat(64)])
    await mustNotStart(in_, process, `with the placement ${name.slice(0, 10)}`, { TURNWIRE_PLACEMENT: name });
};

export const secretsMade: Program = async (in_) => {
  const { process } = in_.host;
  if (!process) return;
  await process.kill();
  const files = ['signing.key', 'instance.token'].map((name) => join(process.folder, 'state', name));
  for (const file of files) rmSync(file);
  await process.start();
  for (const file of files) {
    const name = file.split('/').at(-1);
    if (!existsSync(file)) in_.wrong(`made no ${name}`, 'make it at its first start');
    else if ((statSync(file).mode & 0o777) !== 0o600) in_.wrong(`made a ${name} for others too`, 'give it mode 0600');
    else if (!/^[\w-]{43}\n?$/.test(readFileSync(file, 'latin1')))
      in_.wrong(`made a ${name} that is not 32 bytes as base64url`, 'make that');
  }
};

/** The workflow `flow` has a state more from here on, in a process of its own. */
export const editFlow: Program = async (in_) => {
  const { process } = in_.host;
  if (!process) return;
  await process.kill();
  const folder = join(process.folder, 'edited');
  cpSync(statecharts, folder, { recursive: true });
  const file = join(folder, 'flow.statechart.json');
  const flow = JSON.parse(readFileSync(file, 'utf8')) as { machine: { states: Record<string, object> } };
  flow.machine.states.edited = { type: 'final' };
  writeFileSync(file, JSON.stringify(flow));
  await perform(in_, { start: { TURNWIRE_WORKFLOWS: folder } });
};
