/** What a command line asks of a run, held against what there is: a word that means nothing is not taken silently. */
import { catalogs } from '../catalog.ts';
import { matches } from '../faults/choose.ts';
import { contractAgent } from '../harness/contract-agent.ts';
import { UsageError } from '../model/command.ts';
import type { Level } from '../report/check.ts';
import { readKnown } from './flags.ts';
import type { SuiteOptions } from './suite.ts';

export interface SuiteFlags {
  command?: string;
  url?: string;
  level: Level;
  only?: string[];
  skip?: string[];
  capability?: string[];
  knownFailing?: string;
  timeout: number;
  jobs: number;
  trace?: boolean;
  seed: number;
  report?: string;
}

/** @throws UsageError */
export function suiteOptions(mode: string, flags: SuiteFlags): SuiteOptions {
  const { level, only, skip, capability, jobs, knownFailing, seed } = flags;
  if (only) meant(mode, '--only', only);
  if (skip) meant(mode, '--skip', skip);
  if (capability) declared(mode, capability);
  return {
    ...{ level, seed, jobs },
    ...(only && { only }),
    ...(skip && { skip }),
    ...(capability && { capabilities: capability }),
    ...(knownFailing === undefined ? {} : { knownFailing: known(knownFailing), knownFailingFile: knownFailing }),
  };
}

const checksOf = (mode: string) => catalogs.find((each) => each.mode === mode)?.checks() ?? [];

/** Vectors are those of a subject's own language: which there are is known once it has said its name. */
const ofALanguage = 'vectors/';

function meant(mode: string, option: string, patterns: readonly string[]): void {
  const ids = checksOf(mode).map(({ id }) => id);
  const stranger = patterns.find((one) => !one.startsWith(ofALanguage) && !ids.some((id) => matches(one, id)));
  if (stranger === undefined) return;
  throw new UsageError(`${option} ${stranger} matches no check: turnwire-contract list has them`);
}

function declared(mode: string, names: readonly string[]): void {
  const needed = checksOf(mode).flatMap(({ needs }) => needs.filter((each) => each !== 'process'));
  const all = [...new Set([...needed, ...(mode === 'harness' ? [contractAgent] : [])])].sort();
  const stranger = names.find((name) => !all.includes(name));
  if (stranger === undefined) return;
  const there = all.length === 0 ? `no check of this mode needs any` : `there are ${all.join(', ')}`;
  throw new UsageError(`--capability ${stranger} is none: ${there}`);
}

/** @throws UsageError when an id is none: a check that is never run would never be missed */
function known(file: string): string[] {
  const ids = readKnown(file);
  const all = new Set(catalogs.flatMap(({ checks }) => checks().map(({ id }) => id)));
  const stranger = ids.find((id) => !all.has(id) && !id.startsWith(ofALanguage));
  if (stranger !== undefined) throw new UsageError(`${file}: there is no check ${stranger}`);
  return ids;
}
