import type { Feed } from './feed.ts';
import type { GateAnswer, OpenGate } from './gate.ts';
import type { Timeline } from './timeline.ts';
import { ask, type FeedFrame, type Peer } from './wire.ts';

/** Starts a run of `review` under a key of its own, so that asking again is harmless. */
export async function begin(peer: Peer, timeline: Timeline, name: string, input: object): Promise<string> {
  const key = `demo-${name.replace(' ', '-')}`;
  const { status, body } = await ask<{ runId: string }>(peer, 'POST', '/workflows/review/runs', { input }, key);
  if (status !== 201) throw new Error(`the run was refused with ${status}: ${JSON.stringify(body)}`);
  timeline.name(body.runId, name);
  timeline.say('you', `${name} started: ${body.runId}`);
  return body.runId;
}

/** Answers a run's gate when it opens, and waits for the run's end; a run that ends without a gate is simply over. */
export async function answerGate(peer: Peer, feed: Feed, answer: GateAnswer, run: string): Promise<void> {
  const opened = await feed.until(ends(run, 'gate.opened', 'run.status'));
  if (opened.type !== 'gate.opened') return;
  const gate = opened.data.gate as {
    gate: string;
    gateId: string;
    accepts: { name: string }[];
    meta?: OpenGate['meta'];
  };
  const { event, input } = await answer(run, { accepts: gate.accepts.map(({ name }) => name), meta: gate.meta });
  const path = `/runs/${run}/gates/${encodeURIComponent(gate.gateId)}/events`;
  const { status, body } = await ask(peer, 'POST', path, { event, input }, `demo-${gate.gateId}`);
  if (status !== 200) throw new Error(`the answer to the gate was refused with ${status}: ${JSON.stringify(body)}`);
  await feed.until(
    (frame) => frame.type === 'run.status' && frame.data.runId === run && frame.data.status !== 'active',
  );
}

/** A frame that shows a run at its gate, or ended. */
export const ends =
  (run: string, ...types: string[]) =>
  ({ type, data }: FeedFrame): boolean =>
    data.runId === run && types.includes(type) && (type !== 'run.status' || data.status !== 'active');
