import { expect, it } from 'vitest';
import { buildCustodian } from '../../broken/custodian/build.ts';
import { requirements } from '../client/spec.ts';
import { conforms } from '../report/check.ts';
import { loadCustodianCases } from './load.ts';
import { runCustodian } from './run.ts';

it('the reference conforms at the level of a MAY, with nothing that is known to fail', async () => {
  const command = `node ${JSON.stringify(await buildCustodian())} serve`;
  const report = await runCustodian({ level: 'may', timeoutMs: 30_000, jobs: 2, seed: 1, command });
  expect(report.checks.flatMap(({ verdict, id, sentence }) => (verdict === 'passed' ? [] : [[id, sentence]]))).toEqual(
    [],
  );
  expect(conforms(report)).toBe(true);
}, 180_000);

it('the cases name requirements that there are', () => {
  const unknown = loadCustodianCases().flatMap(({ id, requirements: named }) =>
    named.filter((one) => !requirements.has(one)).map((one) => `${id}: ${one}`),
  );
  expect(unknown).toEqual([]);
});
