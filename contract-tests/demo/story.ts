import { setTimeout as sleep } from 'node:timers/promises';
import type { Cast, ModelEnv } from './cast.ts';
import { Feed } from './feed.ts';
import type { Timeline } from './timeline.ts';
import { ask, type FeedFrame, type Peer } from './wire.ts';

export interface StoryOptions {
  readonly title: string;
  readonly diff: string;
  readonly model: ModelEnv;
  /** The scripted model's script; undefined when a real model is used. */
  readonly script?: string;
  /** Answers a gate; resolves to the event and its input. */
  answer(run: string, accepts: readonly string[]): Promise<{ event: string; input: unknown }>;
}

/** How late the Harness comes up after the first admission was on its way, in milliseconds. */
const LATE_MS = 1_200;
/** How long the checks take until the Orchestrator is killed, so that it lands while their pick is outstanding, in milliseconds. */
const CHECKS_TAKE_MS = 3_000;
/** How long the Orchestrator stays dead, in milliseconds. */
const DEAD_MS = 700;

/**
 * Three runs of `review` while the services around them come late, die and are replaced. Nothing here repairs anything:
 * what keeps the turns is the protocol. Returns the runs' ids.
 */
export async function tell(cast: Cast, timeline: Timeline, options: StoryOptions): Promise<string[]> {
  const model = options.script ? await scripted(cast, timeline, options.script) : options.model;
  const orchestrator = await cast.orchestrator({ ...reviewer(model), REVIEW_CHECKS_TAKE_MS: String(CHECKS_TAKE_MS) });
  timeline.say('orchestrator', `up at ${orchestrator.url}`);
  timeline.say('custodian', `up at ${(await cast.custodian()).url}`);
  const peer = { url: cast.url('orchestrator'), token: cast.instanceToken };
  const feed = new Feed(peer, timeline);
  try {
    const first = await begin(peer, timeline, 'run 1', {
      title: options.title,
      diff: options.diff,
    });
    const gates = [first].map((run) => answerGate(peer, feed, options, run));
    await comeLate(cast, timeline, feed, model, first);
    await killOrchestrator(cast, timeline, feed, model, first);
    await feed.until(ends(first, 'gate.opened', 'run.status'));
    const later = await replaceHarness(cast, timeline, feed, peer, model, options);
    const all = [first, ...later];
    await Promise.all([...gates, ...later.map((run) => answerGate(peer, feed, options, run))]);
    return all;
  } finally {
    feed.close();
  }
}

async function scripted(cast: Cast, timeline: Timeline, script: string): Promise<ModelEnv> {
  const { url } = await cast.model(script);
  timeline.say('model', `scripted, up at ${url}`);
  return { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'none' };
}

/** Which model the review's agent asks for, unless the caller says it: the provider that there is a key for. */
function reviewer(model: ModelEnv): Record<string, string> {
  const { REVIEW_MODEL } = process.env;
  if (REVIEW_MODEL) return { REVIEW_MODEL };
  return !model.OPENAI_BASE_URL && !model.OPENAI_API_KEY ? { REVIEW_MODEL: 'anthropic/claude-sonnet-4-5' } : {};
}

async function begin(peer: Peer, timeline: Timeline, name: string, input: object): Promise<string> {
  const key = `demo-${name.replace(' ', '-')}`;
  const { status, body } = await ask<{ runId: string }>(peer, 'POST', '/workflows/review/runs', { input }, key);
  if (status !== 201) throw new Error(`the run was refused with ${status}: ${JSON.stringify(body)}`);
  timeline.name(body.runId, name);
  timeline.say('you', `${name} started: ${body.runId}`);
  return body.runId;
}

async function comeLate(cast: Cast, timeline: Timeline, feed: Feed, model: ModelEnv, run: string): Promise<void> {
  await feed.until((frame) => frame.type === 'execution.dispatching' && frame.data.runId === run);
  await sleep(LATE_MS);
  timeline.say('harness', `up at ${(await startHarness(cast, model)).url}, after the admission was first sent`);
}

/** One turn at a time, so that the story has a turn that is queued behind another. */
const startHarness = (cast: Cast, model: ModelEnv) => cast.harness(model, { TURNWIRE_CONCURRENCY: '1' });

async function killOrchestrator(
  cast: Cast,
  timeline: Timeline,
  feed: Feed,
  model: ModelEnv,
  run: string,
): Promise<void> {
  const outstanding = (frame: FeedFrame) =>
    frame.type === 'pick' && frame.data.runId === run && frame.data.status === 'outstanding';
  const which = await Promise.race([
    feed.until(outstanding).then(() => 'outstanding'),
    feed.until(ends(run, 'gate.opened', 'run.status')).then(() => 'over'),
  ]);
  if (which === 'over')
    timeline.say(
      'you',
      'the model did not ask for the checks, so no pick was outstanding when the orchestrator was killed',
    );
  await cast.running.get('orchestrator')?.stop('SIGKILL');
  timeline.say('orchestrator', `killed (SIGKILL) while the pick is ${which}`);
  await sleep(DEAD_MS);
  await cast.orchestrator(reviewer(model));
  timeline.say('orchestrator', 'up again, on the same database');
}

/** SIGTERM while one turn runs and one is queued; a third is sent while the Harness drains and waits for the next one. */
async function replaceHarness(
  cast: Cast,
  timeline: Timeline,
  feed: Feed,
  peer: Peer,
  model: ModelEnv,
  options: StoryOptions,
): Promise<string[]> {
  const input = { title: options.title, diff: options.diff };
  const running = await begin(peer, timeline, 'run 2', input);
  await feed.until((frame) => frame.type === 'execution.running' && frame.data.runId === running);
  const queued = await begin(peer, timeline, 'run 3', input);
  await feed.until((frame) => frame.type === 'execution.running' && frame.data.runId === queued);
  const old = cast.running.get('harness');
  old?.signal('SIGTERM');
  timeline.say('harness', 'told to go (SIGTERM) with run 3 behind run 2 in its queue');
  const late = await begin(peer, timeline, 'run 4', input);
  const code = await old?.ended;
  timeline.say('harness', `finished what it had and ended with ${code}`);
  await startHarness(cast, model);
  timeline.say('harness', 'a new one took over, on the same data');
  return [running, queued, late];
}

async function answerGate(peer: Peer, feed: Feed, options: StoryOptions, run: string): Promise<void> {
  const opened = await feed.until(ends(run, 'gate.opened', 'run.status'));
  if (opened.type !== 'gate.opened') return;
  const gate = opened.data.gate as { gate: string; gateId: string; accepts: { name: string }[] };
  const { event, input } = await options.answer(
    run,
    gate.accepts.map(({ name }) => name),
  );
  const path = `/runs/${run}/gates/${encodeURIComponent(gate.gateId)}/events`;
  const { status, body } = await ask(peer, 'POST', path, { event, input }, `demo-${gate.gateId}`);
  if (status !== 200) throw new Error(`the answer to the gate was refused with ${status}: ${JSON.stringify(body)}`);
  await feed.until(
    (frame) => frame.type === 'run.status' && frame.data.runId === run && frame.data.status !== 'active',
  );
}

/** A frame that shows a run at its gate, or ended. */
const ends =
  (run: string, ...types: string[]) =>
  ({ type, data }: FeedFrame): boolean =>
    data.runId === run && types.includes(type) && (type !== 'run.status' || data.status !== 'active');
