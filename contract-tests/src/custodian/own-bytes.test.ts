import { afterAll, beforeAll, expect, it } from 'vitest';
import { judged } from '../run/outcome.ts';
import type { Act, CustodianCase, Step } from './case.ts';
import { nodeEngine, usual } from './engines.fixture.ts';
import { runCase } from './run-case.ts';
import { ProcessHost } from './stage.ts';

let host: ProcessHost;
beforeAll(async () => {
  host = new ProcessHost(await nodeEngine(), usual.timeoutMs);
  await host.open();
  await host.start();
}, 60_000);
afterAll(() => host.close());

let n = 0;
const outcomeOf = async (upstream: Act[], steps: Step[]) => {
  n += 1;
  const check = { id: `own.bytes_${n}`, theme: 'own', says: '', requirements: ['TW-CUS-007'], level: 'must' } as const;
  const of: CustodianCase = { ...check, upstream, steps };
  return judged(await runCase(host, of), check);
};

it.each<[string, Act[], Step[], RegExp]>([
  [
    'an answer of its Orchestrator',
    [{ json: { iid: 7 } }],
    [{ ask: { route: 'surface' } }],
    /answered GET .*\/surface/,
  ],
  [
    'an answer that no operation has',
    [{ status: 418 }],
    [{ ask: { route: 'pick' }, expect: { status: 418 } }],
    /418, which pick does not have/,
  ],
  [
    'a request of its Harness',
    [],
    [{ ask: { route: 'pick', json: { event: 7 } }, expect: { status: 200 } }],
    /sent pick with a body/,
  ],
])('what the kit itself says wrong is its own fault: %s', async (_, upstream, steps, words) => {
  const { verdict, sentence } = await outcomeOf(upstream, steps);
  expect({ verdict, sentence }).toEqual({ verdict: 'kit_error', sentence: expect.stringMatching(words) });
});

it.each<[string, Act[], Step[]]>([
  [
    'of nobody',
    [{ json: { iid: 7 }, foreign: true }],
    [{ ask: { route: 'surface' }, expect: { status: 200, foreign: true } }],
  ],
  [
    'cut',
    [{ json: { iid: 7 }, cut: 3 }],
    [{ ask: { route: 'surface' }, expect: { status: 200, whole: false, foreign: true } }],
  ],
  ['refused', [], [{ ask: { route: 'pick', json: {}, headers: { authorization: null } }, expect: { status: 403 } }]],
])('what is wrong on purpose is none: %s', async (_, upstream, steps) => {
  expect(await outcomeOf(upstream, steps)).toMatchObject({ verdict: 'passed' });
});

it('a check is drawn with its three parties, in the order of time', async () => {
  const steps: Step[] = [{ ask: { route: 'pick' }, expect: { status: 404 } }];
  const { wire = [] } = await outcomeOf([{ status: 404 }], steps);
  expect(wire.map(({ from, to, label }) => `${from} ${to} ${label.replace(/kit-[^/]+/, 'x')}`)).toEqual([
    'harness subject POST /agents/x/events',
    'subject orchestrator POST /agents/x/events',
    'orchestrator subject 404',
    'subject harness 404 turn_over',
  ]);
});
