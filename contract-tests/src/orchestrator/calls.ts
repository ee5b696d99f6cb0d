/** Checks of nodes and executions whose sequence data cannot say. */
import { mismatch } from '../harness/expect.ts';
import { until } from '../run/until.ts';
import type { Program } from './programs.ts';
import { framesOf } from './requests.ts';
import { perform } from './steps.ts';

/** Whoever is asked next answers, and its turn ends. */
export const answerTheCall: Program = async (in_) => {
  const nth = in_.affair.submissions.filter(({ settled }) => settled !== undefined).length + 1;
  await perform(in_, { admitted: nth, as: 'answering' });
  await perform(in_, { pick: { of: 'answering', event: 'answer', input: { result: { blue: true } } } });
  await perform(in_, { settle: { of: 'answering' } });
};

const addresses = [
  'nowhere',
  'file:///etc/passwd',
  'ftp://127.0.0.1:21',
  'http://user:secret@127.0.0.1:8080',
  'http://127.0.0.1:8080/?token=x',
  'http://127.0.0.1:8080/#there',
  'http://0.0.0.0:8080',
  'http://169.254.169.254',
];

export const badAddressesRefused: Program = async (in_) => {
  for (const baseUrl of addresses) {
    const expect = { status: 422, code: 'invalid', body: { problems: [{ path: '/baseUrl' }] } };
    await perform(in_, { register: { body: { baseUrl } }, expect });
  }
};

export const tooManyAgentsRefused: Program = async (in_) => {
  const agents = Array.from({ length: 10_000 }, (_, n) => ({ name: `agent-${n}` }));
  await perform(in_, { register: { body: { agents } }, expect: { status: 422, code: 'invalid' } });
};

export const probedWithoutAToken: Program = async (in_) => {
  const { probes } = in_.nodes.get('node')?.harness ?? { probes: [] };
  if (!(await until(() => probes.length >= 3, 45_000)))
    return in_.wrong(`probed ${probes.length} times in 45 s`, 'every 10 s');
  const [first, second, third] = probes;
  const gaps = [second, third].map((probe, index) => (probe?.at ?? 0) - ([first, second][index]?.at ?? 0));
  if (gaps.some((gap) => gap < 8_000 || gap > 14_000))
    in_.wrong(`probed after ${gaps.map(Math.round)} ms`, 'every 10 s');
  if (probes.some(({ authorization }) => authorization !== undefined))
    in_.wrong('sent a token with a probe', 'send none');
};

export const neverProbed: Program = async (in_) => {
  const probes = in_.nodes.get('node')?.harness.probes ?? [];
  if (probes.length > 0) in_.wrong(`probed it ${probes.length} times`, 'leave it asleep');
};

/** By the feed: a verdict that the next heartbeat takes back is over sooner than anybody asks. */
export const healthyFor35Seconds: Program = async (in_) => {
  const { nodeId } = in_.known.node as { nodeId: string };
  const { frames } = framesOf(await in_.call({ path: '/events', forMs: 35_000 }));
  const told = frames.filter(({ type, data }) => type === 'node.health' && data.nodeId === nodeId);
  const odd = told.find(({ data }) => data.health !== 'healthy');
  if (odd) in_.wrong(`held it ${odd.data.health} although it says that it is there`, 'go by that', 'TW-NOD-018');
  await perform(in_, { nodeView: { withinMs: 1_000 }, expect: { health: 'healthy' } });
};

/** While somebody reads the feed. */
export const aLifeOfANode: Program = async (in_) => {
  await perform(in_, { feedIsOpen: true });
  await perform(in_, { node: { beats: false } });
  for (let beat = 0; beat < 3; beat += 1) await perform(in_, { beat: {} });
  const { nodeId } = in_.known.node as { nodeId: string };
  await perform(in_, { call: { method: 'DELETE', path: `/nodes/${nodeId}` }, expect: { status: 204 } });
};

interface Entry {
  readonly status: string;
  readonly at: string;
}

/** Each status once, in an order that there can be, none after the last. */
export const timelineInOrder: Program = async (in_) => {
  const { timeline = [] } = in_.known.record as { timeline?: Entry[] };
  const statuses = timeline.map(({ status }) => status);
  const odd = mismatch(['queued', 'dispatching', 'running', 'succeeded'], statuses);
  if (odd !== undefined) in_.wrong(`has a timeline of ${statuses.join(', ')}`, 'name each status that it had');
  const times = timeline.map(({ at }) => Date.parse(at));
  if (times.some((at, index) => !(at >= (times[index - 1] ?? 0)))) in_.wrong('has a timeline out of order', 'order it');
};

export const waitedTwelveSeconds: Program = async (in_) => {
  const { timeline = [], endedAt = '' } = in_.known.record as { timeline?: Entry[]; endedAt?: string };
  const since = Date.parse(timeline.find(({ status }) => status === 'awaiting_restart')?.at ?? '');
  const ms = Date.parse(endedAt) - since;
  if (!(ms > 11_500 && ms < 15_500)) in_.wrong(`waited ${ms} ms for a grace of 12 s`, 'wait for what is left of it');
};

export const twentyCallsWait: Program = async (in_) => {
  const { nodeId } = in_.known.dead as { nodeId: string };
  const calls = Array.from({ length: 20 }, (_, n) =>
    perform(in_, { as: `waiting${n}`, execute: { target: `${nodeId}.worker` } }),
  );
  await Promise.all(calls);
  await perform(in_, { execution: { of: 'waiting19' }, expect: { status: 'awaiting_restart' } });
};

export const cancelAll: Program = async (in_) => {
  for (let n = 0; n < 20; n += 1) await perform(in_, { cancelExecution: { of: `waiting${n}` } });
};

const terminal = ['succeeded', 'failed', 'cancelled', 'timed_out'];

/** One of each end, and what the feed of everything told meanwhile. */
export const executionsAddUp: Program = async (in_) => {
  const feed = in_.call({ path: '/events', forMs: 12_000 });
  await perform(in_, { feedIsOpen: true });
  await perform(in_, { execute: {}, as: 'one' });
  await answerTheCall(in_);
  await perform(in_, { execute: { timeoutSeconds: 1 }, as: 'late' });
  await perform(in_, { execution: { of: 'late' }, expect: { status: 'timed_out' } });
  await perform(in_, { execute: {}, as: 'cancelled' });
  await perform(in_, { admitted: 3, as: 'third' });
  await perform(in_, { cancelExecution: { of: 'cancelled' } });
  await perform(in_, { nodeDown: 'node' });
  await perform(in_, { execute: {}, as: 'failed' });
  await perform(in_, { execution: { of: 'failed' }, expect: { status: 'failed' } });
  const { frames } = framesOf(await feed);
  const count = (status: string) => frames.filter(({ type }) => type === `execution.${status}`).length;
  const ends = terminal.map((status) => `${status} ${count(status)}`);
  if (count('started') !== 4) in_.wrong(`told of ${count('started')} starts`, 'tell of each of 4');
  if (terminal.some((status) => count(status) !== 1)) in_.wrong(`told of ${ends.join(', ')}`, 'tell of one end each');
};

/** Of three turns of one placement: before it had a node, while it had one, and after that. */
export const secondCameToTheNode: Program = async (in_) => {
  const { baseUrl } = in_.known.node as { baseUrl: string };
  const configured = in_.host.harness.url;
  const came = in_.affair.admissions.map(({ headers }) => `http://${headers.host}`);
  const odd = mismatch([configured, baseUrl, configured], came);
  if (odd !== undefined) in_.wrong(`sent work elsewhere: ${odd}`, 'go by the record', 'TW-NOD-024');
};
