import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { buildAdapter, differences } from '../../broken/client/build.ts';
import { expectCaught } from '../run/caught.fixture.ts';
import { SubjectError } from './adapter.ts';
import { loadCases } from './load.ts';
import { type ClientRun, runClient } from './run.ts';

const usual: Omit<ClientRun, 'command'> = { level: 'may', timeoutMs: 15_000, jobs: 2, seed: 1 };

const run = (file: string, only: readonly string[]) =>
  runClient({ ...usual, command: `node ${JSON.stringify(file)}`, only });

describe('an SDK that is wrong in one line is caught by the check that is meant for it', () => {
  it('the reference passes all of these checks', async () => {
    const only = [...new Set(differences.flatMap(({ caughtBy }) => caughtBy))];
    const { checks } = await run(await buildAdapter(), only);
    expect(checks.length).toBe(only.length);
    expect(checks.flatMap(({ verdict, sentence }) => (verdict === 'passed' ? [] : [sentence]))).toEqual([]);
  }, 60_000);

  // One after another: some of them are about milliseconds.
  it.each(differences.map((difference) => [difference.name, difference] as const))(
    '%s',
    async (_, difference) => {
      expectCaught(difference, await run(await buildAdapter(difference), difference.caughtBy));
    },
    60_000,
  );

  it('there is at least one for each theme', () => {
    const themes = new Set(loadCases().map(({ theme }) => theme));
    const caught = new Set(differences.flatMap(({ caughtBy }) => caughtBy.map((id) => id.split('/')[0])));
    expect([...themes].filter((theme) => !caught.has(theme))).toEqual([]);
  });
});

describe('a subject that is no adapter', () => {
  // As one file that starts at once: a timeout here is for an adapter that says nothing, not for a loader.
  const outfile = fileURLToPath(new URL('../../../node_modules/.cache/turnwire-null-adapter.mjs', import.meta.url));
  const source = fileURLToPath(new URL('../../broken/client/null.ts', import.meta.url));
  const built = build({ entryPoints: [source], outfile, platform: 'node', format: 'esm', logLevel: 'silent' });

  const start = async (kind: string, more: Partial<ClientRun> = {}) => {
    await built;
    return runClient({ ...usual, command: `node ${JSON.stringify(outfile)} ${kind}`, timeoutMs: 3_000, ...more });
  };

  it.each(['empty', 'exit', 'silent', 'not_json'])('%s: could not be started', async (kind) => {
    await expect(start(kind)).rejects.toThrow(SubjectError);
  });

  const answered = { skip: ['*full*', '*idle*', '*before-connected*'], jobs: 4 };
  // Where a failure is what is right, and pure parts.
  const failures = ['*/plain*', '*refused*', '*exhausted*', '*never-reached*', '*404*', 'vectors/*'];
  const silence = { only: ['*n/plain', '*k/plain', '*e/plain', 'vectors/ladder/delays-*'], jobs: 8 };

  it.each([
    ['mute_results', answered, 1000],
    ['yes', answered, 1000],
    ['not_found', { ...answered, only: failures }, 300],
    ['unavailable', { ...answered, only: failures }, 300],
    ['hang', silence, 5],
    ['leave', silence, 5],
  ])(
    '%s: passes nothing',
    async (kind, more, atLeast) => {
      const { checks } = await start(kind, more);
      expect(checks.length).toBeGreaterThan(atLeast);
      expect(checks.filter(({ verdict }) => verdict === 'passed').map(({ id }) => id)).toEqual([]);
    },
    60_000,
  );
});
