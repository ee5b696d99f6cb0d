import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { buildOrchestrator } from '../../broken/orchestrator/build.ts';
import { requirements } from '../client/spec.ts';
import { conforms } from '../report/check.ts';
import { usual } from './broken.fixture.ts';
import { loadOrchestratorCases } from './load.ts';
import { runOrchestrator } from './run.ts';

describe('the reference', () => {
  it('conforms at the level of a MAY, with nothing that is known to fail', async () => {
    const file = await buildOrchestrator();
    const report = await runOrchestrator({ ...usual, command: `node ${JSON.stringify(file)} serve` });
    expect(
      report.checks.flatMap(({ verdict, id, sentence }) => (verdict === 'passed' ? [] : [[id, sentence]])),
    ).toEqual([]);
    expect(conforms(report)).toBe(true);
  }, 480_000);
});

describe('a subject that is no orchestrator at all passes nothing', () => {
  it.each(['not_found', 'empty', 'unavailable', 'hang', 'close'])(
    '%s',
    async (kind) => {
      const outfile = new URL('../../../node_modules/.cache/turnwire-null.mjs', import.meta.url).pathname;
      const source = new URL('../../broken/harness/null.ts', import.meta.url).pathname;
      await build({ entryPoints: [source], outfile, platform: 'node', format: 'esm', logLevel: 'silent' });
      const command = `node ${JSON.stringify(outfile)} ${kind}`;
      const waits = { answerMs: 500, patienceMs: 1_500, meetingMs: 10 };
      const { checks } = await runOrchestrator({ ...usual, jobs: 6, waits, command });
      expect(checks.length).toBe(loadOrchestratorCases().length);
      expect(checks.filter(({ verdict }) => verdict === 'passed').map(({ id }) => id)).toEqual([]);
    },
    120_000,
  );
});

describe('the cases', () => {
  it('name requirements that there are', () => {
    const unknown = loadOrchestratorCases().flatMap(({ id, requirements: named }) =>
      named.filter((one) => !requirements.has(one)).map((one) => `${id}: ${one}`),
    );
    expect(unknown).toEqual([]);
  });
});
