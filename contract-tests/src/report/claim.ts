/** What a verdict is about: which kit, which spec, which level, with which failures declared. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Level } from './check.ts';

export interface Claim {
  /** Version of the kit. */
  readonly kit: string;
  /** Major version of the protocol. */
  readonly protocol: string;
  /** Of the prose and the three documents: the same text, the same revision. */
  readonly specRevision: string;
  readonly level: Level;
  /** SHA-256 of the known-failing file in hex; absent when there was none. */
  readonly knownFailing?: string;
  /** Said when --only or --skip left checks out: no such run speaks for the whole. */
  readonly selection?: true;
}

const require = createRequire(import.meta.url);
const sources = ['protocol.md', ...['harness', 'orchestrator', 'custodian'].map((name) => `gen/${name}.json`)];

const sha256 = (...pieces: readonly (string | Buffer)[]): string => {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
};

/** Digits of a revision that are shown: enough to tell two texts apart. */
const shown = 12;

const specRevision = (): string =>
  `1-${sha256(...sources.map((name) => readFileSync(require.resolve(`@turnwire/spec/${name}`)))).slice(0, shown)}`;

export function claimOf(level: Level, knownFailingFile?: string, isSelection = false): Claim {
  const { version } = JSON.parse(readFileSync(require.resolve('@turnwire/contract-tests/package.json'), 'utf8'));
  return {
    ...{ kit: version, protocol: '1', specRevision: specRevision(), level },
    ...(knownFailingFile === undefined ? {} : { knownFailing: sha256(readFileSync(knownFailingFile)) }),
    ...(isSelection ? { selection: true } : {}),
  };
}

/** The claim as one line. */
export function claimText({ kit, specRevision: revision, level, knownFailing, selection }: Claim): string {
  const known = knownFailing === undefined ? 'none' : `sha256 ${knownFailing.slice(0, shown)}`;
  return `kit ${kit}, spec revision ${revision}, level ${level}, known failing: ${known}${selection ? ', selected checks alone' : ''}`;
}
