import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { usual } from './engines.fixture.ts';
import { loadCustodianCases } from './load.ts';
import { runCustodian } from './run.ts';

describe('a subject that is no custodian at all passes nothing:', () => {
  const outfile = fileURLToPath(new URL('../../../node_modules/.cache/turnwire-null-custodian.mjs', import.meta.url));
  const source = fileURLToPath(new URL('../../broken/harness/null.ts', import.meta.url));
  const built = build({ entryPoints: [source], outfile, platform: 'node', format: 'esm', logLevel: 'silent' });

  it.concurrent.each(['not_found', 'empty', 'unavailable', 'hang', 'close'])(
    '%s',
    async (kind) => {
      await built;
      const command = `node ${JSON.stringify(outfile)} ${kind}`;
      const { checks } = await runCustodian({ ...usual, command, answerMs: 300 });
      expect(checks.filter(({ verdict }) => verdict === 'passed').map(({ id }) => id)).toEqual([]);
      expect(checks.length).toBe(loadCustodianCases().length);
    },
    120_000,
  );
});
