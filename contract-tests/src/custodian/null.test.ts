import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { usual } from './engines.fixture.ts';
import { runCustodian } from './run.ts';

describe('a subject that is no custodian at all passes nothing:', () => {
  const file = fileURLToPath(new URL('../../broken/harness/null.ts', import.meta.url));

  it.concurrent.each(['not_found', 'empty', 'unavailable', 'hang', 'close'])(
    '%s',
    async (kind) => {
      const command = `node --import tsx ${JSON.stringify(file)} ${kind}`;
      // What has a process of its own is asked of a few: a process for each would only repeat it.
      const skip = ['load.*', 'reach.p*', 'reach.s*', 'token.*', 'bodies.*e_*', 'process.l*'];
      const { checks } = await runCustodian({ ...usual, command, skip, answerMs: 300 });
      expect(checks.filter(({ verdict }) => verdict === 'passed').map(({ id }) => id)).toEqual([]);
      expect(checks.length).toBeGreaterThan(50);
    },
    120_000,
  );
});
