import { setTimeout as sleep } from 'node:timers/promises';
import type { Cast, ModelEnv } from './cast.ts';
import { Feed } from './feed.ts';
import type { GateAnswer } from './gate.ts';
import { answerGate, begin, ends } from './runs.ts';
import type { Timeline } from './timeline.ts';
import type { FeedFrame, Peer } from './wire.ts';

export interface StoryOptions {
  readonly title: string;
  readonly diff: string;
  readonly model: ModelEnv;
  /** The scripted model's script; undefined when a real model is used. */
  readonly script?: string;
  readonly answer: GateAnswer;
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
    const gates = [first].map((run) => answerGate(peer, feed, options.answer, run));
    await comeLate(cast, timeline, feed, model, first);
    await killOrchestrator(cast, timeline, feed, model, first);
    await feed.until(ends(first, 'gate.opened', 'run.status'));
    const later = await replaceHarness(cast, timeline, feed, peer, model, options);
    const all = [first, ...later];
    await Promise.all([...gates, ...later.map((run) => answerGate(peer, feed, options.answer, run))]);
    return all;
  } finally {
    feed.close();
  }
}

export async function scripted(cast: Cast, timeline: Timeline, script: string): Promise<ModelEnv> {
  const { url } = await cast.model(script);
  timeline.say('model', `scripted, up at ${url}`);
  return { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'none' };
}

/** Which model the review's agent asks for, unless the caller says it: the provider that there is a key for. */
export function reviewer(model: ModelEnv): Record<string, string> {
  const { REVIEW_MODEL } = process.env;
  if (REVIEW_MODEL) return { REVIEW_MODEL };
  return !model.OPENAI_BASE_URL && !model.OPENAI_API_KEY ? { REVIEW_MODEL: 'anthropic/claude-sonnet-4-5' } : {};
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
  timeline.say('harness', `finished what ran, set down what waits for the workflow, and ended with ${code}`);
  await startHarness(cast, model);
  timeline.say('harness', 'a new one took over, on the same data');
  return [running, queued, late];
}
