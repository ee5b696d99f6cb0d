/** What a harness that registers itself says to the registry, and when. */
import { HEARTBEAT_SECONDS, type NodeDouble } from '../../doubles/node.ts';
import { until } from '../../run/until.ts';
import type { Conversation } from '../conversation.ts';

/** Milliseconds that a word may take which is not about time. */
const patienceMs = 15_000;
/** A busy machine makes a heartbeat late; one that goes by an interval of its own is later than that. */
const mostMs = HEARTBEAT_SECONDS * 4_000;

/** The node of a case has the name of its conversation. */
const nodeOf = (in_: Conversation): NodeDouble => in_.stage.orchestrator.node(in_.iid);

async function registered(in_: Conversation, times = 1): Promise<NodeDouble> {
  const node = nodeOf(in_);
  if (!(await until(() => node.registrations().length >= times, patienceMs)))
    in_.wrong(`registered ${node.registrations().length} times`, 'register itself', 'TW-NOD-003');
  return node;
}

export async function nodeRegisters(in_: Conversation): Promise<void> {
  const node = await registered(in_);
  const body = node.registrations()[0]?.body ?? {};
  const { baseUrl, instanceId, agents, deployment, capabilities, store } = body;
  const wrong = (did: string, should: string) => in_.wrong(did, should, 'TW-NOD-003');
  if (!Array.isArray(agents)) wrong(`sent the agents ${JSON.stringify(agents)}`, 'send a list');
  if (deployment !== 'resident') wrong(`sent the deployment ${JSON.stringify(deployment)}`, 'be resident');
  if (!/^[\x21-\x7e]{1,128}$/.test(String(instanceId))) wrong(`sent the instanceId ${instanceId}`, 'send a visible id');
  const answer = await in_.callAt(String(baseUrl), { path: '/.well-known/turnwire' });
  const info = (answer.json ?? {}) as Record<string, unknown>;
  if (answer.status !== 200) wrong(`is not at ${baseUrl}`, 'say where it serves');
  if (JSON.stringify(info.capabilities) !== JSON.stringify(capabilities))
    wrong(`registered the capabilities ${JSON.stringify(capabilities)}`, 'have those of /.well-known/turnwire');
  if (store !== undefined && store !== info.store) wrong(`registered the store ${store}`, 'name its own');
}

export async function nodeHeartbeats(in_: Conversation): Promise<void> {
  const node = await registered(in_);
  await until(() => node.beats().length > 3, patienceMs);
  const beats = node.beats();
  const wrong = (did: string) => in_.wrong(did, `heartbeat every ${HEARTBEAT_SECONDS} s`, 'TW-NOD-022');
  if (beats.length <= 3) return wrong(`heartbeat ${beats.length} times in ${patienceMs / 1000} s`);
  // The first ones are as close as its lifecycle changes.
  beats.slice(1).forEach(({ at }, nth) => {
    const ms = at - (beats[nth]?.at ?? at);
    if (ms > mostMs) wrong(`said nothing for ${Math.round(ms)} ms`);
  });
  const last = beats.at(-1)?.body.lifecycle;
  if (last !== 'ready') in_.wrong(`says that it is ${last}`, 'be ready', 'TW-NOD-022');
}

export async function nodeRegistersAgain(in_: Conversation): Promise<void> {
  const node = await registered(in_);
  await until(() => node.beats().length > 1, patienceMs);
  node.refusal = 'unknown_node';
  await until(() => node.registrations().length > 1, patienceMs);
  node.refusal = undefined;
  const [first, second] = node.registrations();
  if (!second) return in_.wrong('did not register again when it was not known', 'register again', 'TW-NOD-007');
  if (first?.body.instanceId !== second.body.instanceId)
    in_.wrong('registered again as another instance', 'be one instance as long as its process lives', 'TW-NOD-006');
  if (!(await until(() => node.beats().some(({ at }) => at > second.at), patienceMs)))
    in_.wrong('did not heartbeat after that', 'heartbeat', 'TW-NOD-022');
}

export async function nodeIsFresh(in_: Conversation): Promise<void> {
  await registered(in_);
  await in_.host.process?.kill();
  await in_.host.process?.start(in_.of.own);
  const node = await registered(in_, 2);
  const [first, second] = node.registrations();
  if (first?.body.instanceId === second?.body.instanceId)
    in_.wrong('is the same instance in its next process', 'be a fresh one', 'TW-NOD-006');
}

/** It takes work, and says so. */
export async function nodeIsReady(in_: Conversation): Promise<void> {
  const node = await registered(in_);
  if (!(await until(() => node.beats('ready').length > 0, patienceMs)))
    in_.wrong('did not say that it is ready', 'heartbeat `ready`', 'TW-NOD-022');
}

/** A turn is at work: it drains for as long as that takes. */
export async function nodeDrains(in_: Conversation): Promise<void> {
  const node = nodeOf(in_);
  in_.host.process?.signal('SIGTERM');
  const wrong = (did: string, should: string) => in_.wrong(did, should, 'TW-NOD-023');
  if (!(await until(() => node.beats('draining').length > 0, patienceMs)))
    return wrong('did not say that it drains', 'heartbeat `draining`');
  // Its successor has registered: that is no news to it.
  node.refusal = 'stale_instance';
  const code = await in_.host.process?.exit(patienceMs);
  if (code !== 0) wrong(`ended with ${code}`, 'end its drain with 0');
  if (node.beats('draining').length < 2)
    wrong(`said ${node.beats('draining').length} times that it drains`, 'heartbeat until its end');
  if (node.registrations().length > 1) wrong('registered again while it drained', 'leave its place');
}
