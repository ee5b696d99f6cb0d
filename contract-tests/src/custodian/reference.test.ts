import { describe, expect, it } from 'vitest';
import { envoyProgram, noEnvoy } from '../../engines/envoy.ts';
import { requirements } from '../client/spec.ts';
import { conforms, type Report } from '../report/check.ts';
import { envoyEngine, nodeEngine, usual } from './engines.fixture.ts';
import { loadCustodianCases } from './load.ts';
import { runCustodian } from './run.ts';

const verdicts = ({ checks }: Report) => Object.fromEntries(checks.map(({ id, verdict }) => [id, verdict]));

describe.concurrent('the reference conforms at the level of a MAY, with nothing that is known to fail', () => {
  const ofNode = nodeEngine().then((command) => runCustodian({ ...usual, command }));

  it('on Node', async () => conformant(await ofNode), 180_000);

  it('on Envoy, with the same verdict of each check', async (context) => {
    const envoy = envoyProgram();
    if (envoy === undefined) return context.skip(noEnvoy);
    const report = await runCustodian({ ...usual, command: await envoyEngine(envoy) });
    conformant(report);
    expect(verdicts(report)).toEqual(verdicts(await ofNode));
  }, 180_000);
});

function conformant(report: Report): void {
  const others = report.checks.flatMap(({ verdict, id, sentence }) => (verdict === 'passed' ? [] : [[id, sentence]]));
  expect(others).toEqual([]);
  expect(conforms(report)).toBe(true);
}

it('the cases name requirements that there are', () => {
  const unknown = loadCustodianCases().flatMap(({ id, requirements: named }) =>
    named.filter((one) => !requirements.has(one)).map((one) => `${id}: ${one}`),
  );
  expect(unknown).toEqual([]);
});
