import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { byItself } from '../demo/gate.ts';
import { answerGate, begin } from '../demo/runs.ts';
import { scripted } from '../demo/story.ts';
import { diffs, root, type Stage, script, stage } from './stage.ts';

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId?: string;
  readonly name: string;
  readonly scope: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

let set: Stage | undefined;
afterEach(() => set?.clear());

/** A run of `review` whose processes have an SDK registered, as their user does it. */
async function recorded(): Promise<Span[]> {
  set = await stage();
  const { cast, timeline } = set;
  const recorder = pathToFileURL(join(root, 'contract-tests/e2e/span-recorder.mjs')).href;
  const file = join(cast.folder, 'spans.jsonl');
  const env = { NODE_OPTIONS: `--import=${recorder}`, SPANS: file };
  await cast.orchestrator({ REVIEW_CHECKS_TAKE_MS: '400', ...env });
  await cast.custodian(env);
  await cast.harness(await scripted(cast, timeline, script), env);
  const peer = { url: cast.url('orchestrator'), token: cast.instanceToken };
  const feed = set.feed(peer);
  const diff = readFileSync(diffs('backoff-jitter.diff'), 'utf8');
  const run = await begin(peer, timeline, 'run 1', { title: 'A change', diff });
  await answerGate(peer, feed, byItself, run);
  await cast.stop();
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Span);
}

describe('with an OpenTelemetry SDK registered', () => {
  it('a turn is one trace across the three roles (TW-GEN-015)', { timeout: 60_000 }, async () => {
    const spans = await recorded();
    const named = (name: string) => spans.filter((span) => span.name === name);
    const parentOf = (span: Span | undefined) => spans.find(({ spanId }) => spanId === span?.parentId);
    const wayUp = (span: Span | undefined): string[] => (span ? [span.name, ...wayUp(parentOf(span))] : []);

    const [turn] = named('turnwire.turn');
    expect(wayUp(turn)).toEqual(['turnwire.turn', 'turnwire.admission', 'turnwire.startRun']);
    const step = named('turnwire.run.step').find(({ attributes }) => attributes['turnwire.step'] === 'pick');
    expect(wayUp(step)).toEqual([
      'turnwire.run.step',
      'turnwire.pick',
      'turnwire.forward',
      'turnwire.pick',
      'turnwire.turn',
      'turnwire.admission',
      'turnwire.startRun',
    ]);
    expect(
      named('turnwire.receipt')
        .map(parentOf)
        .map((span) => span?.name),
    ).toContain('turnwire.startRun');
    const ofTurn = ['turnwire.turn', 'turnwire.model', 'turnwire.admission', 'turnwire.receipt', 'turnwire.forward'];
    const traces = new Set(spans.filter(({ name }) => ofTurn.includes(name)).map(({ traceId }) => traceId));
    expect([...traces]).toEqual([turn?.traceId]);
    expect(new Set(spans.map(({ scope }) => scope))).toEqual(
      new Set(['@turnwire/orchestrator', '@turnwire/harness', '@turnwire/custodian']),
    );
    const all = JSON.stringify(spans);
    for (const secret of [set?.cast.instanceToken, set?.cast.harnessToken, 'A change'])
      expect(all).not.toContain(secret);
  });
});
