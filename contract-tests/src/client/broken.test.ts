import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { buildAdapter, differences } from '../../broken/client/build.ts';
import { expectCaught } from '../run/caught.fixture.ts';
import { SubjectError } from './adapter.ts';
import { loadCases } from './load.ts';
import { type ClientRun, runClient } from './run.ts';

const usual: Omit<ClientRun, 'command'> = { level: 'may', timeoutMs: 15_000, jobs: 2, seed: 1 };
const nullSubject = fileURLToPath(new URL('../../broken/client/null.ts', import.meta.url));

const run = (file: string, only: readonly string[]) =>
  runClient({ ...usual, command: `node ${JSON.stringify(file)}`, only });

describe('an SDK that is wrong in one line is caught by the check that is meant for it', () => {
  it('the reference passes all of these checks', async () => {
    const only = [...new Set(differences.flatMap(({ caughtBy }) => caughtBy))];
    const { checks } = await run(await buildAdapter(), only);
    expect(checks.length).toBe(only.length);
    expect(checks.filter(({ verdict }) => verdict !== 'passed').map(({ id }) => id)).toEqual([]);
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
  const start = (kind: string, more: Partial<ClientRun> = {}) =>
    runClient({
      ...usual,
      command: `node --import tsx ${JSON.stringify(nullSubject)} ${kind}`,
      timeoutMs: 3_000,
      ...more,
    });

  it.each(['empty', 'exit', 'silent', 'not_json'])('%s: could not be started', async (kind) => {
    await expect(start(kind)).rejects.toThrow(SubjectError);
  });

  it.each(['mute_results', 'yes'])(
    '%s: passes nothing',
    async (kind) => {
      const { checks } = await start(kind, { skip: ['*full*', '*idle*', '*before-connected*'], jobs: 4 });
      expect(checks.length).toBeGreaterThan(1000);
      expect(checks.filter(({ verdict }) => verdict === 'passed').map(({ id }) => id)).toEqual([]);
    },
    60_000,
  );

  it.each(['hang', 'leave'])(
    '%s: passes nothing',
    async (kind) => {
      const { checks } = await start(kind, {
        only: ['*/plain*', 'vectors/ladder/delays-*'],
        timeoutMs: 1_000,
        jobs: 4,
      });
      expect(checks.length).toBeGreaterThan(5);
      expect(checks.filter(({ verdict }) => verdict === 'passed')).toEqual([]);
    },
    60_000,
  );
});
