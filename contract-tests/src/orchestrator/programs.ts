/** Checks whose sequence data cannot say; a case names one in a step. */
import * as calls from './calls.ts';
import * as every from './every-operation.ts';
import * as files from './files.ts';
import * as people from './people.ts';
import { framesOf } from './requests.ts';
import type { Scene } from './scene.ts';

export type Program = (in_: Scene) => Promise<void>;

/** No token in anything that the process wrote, nor in what it tells of itself. */
const secretsKept: Program = async (in_) => {
  const metrics = (await in_.call({ path: '/metrics' })).text;
  for (const [name, token] of Object.entries(in_.host.tokens)) {
    if (in_.host.written.includes(token)) in_.wrong(`wrote the ${name} token to its log`, 'keep it', 'TW-GEN-029');
    if (metrics.includes(token)) in_.wrong(`told the ${name} token in its metrics`, 'keep it', 'TW-GEN-029');
  }
};

/** What reached the Harness carried the token of its placement, and nobody else's. */
const harnessTokenAlone: Program = async (in_) => {
  const { harness, instance, placement } = in_.host.tokens;
  for (const { headers, body } of [...in_.affair.admissions, ...in_.affair.aborts]) {
    const all = JSON.stringify([headers, body]);
    if (headers.authorization !== `Bearer ${harness}`)
      in_.wrong('sent another credential than the harness token', 'send that', 'TW-TOK-007');
    if (all.includes(instance) || all.includes(placement))
      in_.wrong('sent a token to the harness that is not for it', 'keep it', 'TW-TOK-012');
  }
};

/** The trace of the start, as it came, or continued by a span of the subject's own. */
const traceKept: Program = async (in_) => {
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
  const sent = [...in_.affair.admissions, ...in_.affair.aborts].map(({ headers }) => headers.traceparent ?? '');
  if (sent.length === 0 || !sent.every((one) => new RegExp(`^00-${trace}-[0-9a-f]{16}-[0-9a-f]{2}$`).test(one)))
    in_.wrong(`sent the traces ${JSON.stringify(sent)}`, `go on with ${trace}`, 'TW-GEN-015');
};

/** Copies of one admission: one key, one body, one conversation. */
const copiesAlike: Program = async (in_) => {
  const copies = in_.affair.admissions.map(({ headers, iid, body }) => [headers['idempotency-key'], iid, body]);
  if (new Set(copies.map((copy) => JSON.stringify(copy))).size !== 1)
    in_.wrong('sent copies of an admission that differ', 'send the same bytes under the same key', 'TW-RET-002');
};

/** A frame of a feed names its record and its time, and they are in the order of the commits. */
const framesNamed: Program = async (in_) => {
  const run = (in_.known.run as { runId?: string }).runId;
  const { frames } = framesOf(await in_.call({ path: `/runs/${run}/events`, forMs: 1_000 }));
  const [first] = frames;
  if (first?.type !== 'snapshot') in_.wrong(`began a feed with ${first?.type}`, 'begin with snapshot', 'TW-FED-001');
  for (const { data, type } of frames) {
    if (typeof data.id !== 'string' || !/^\d{4}-.*Z$/.test(String(data.at)))
      in_.wrong(`sent a ${type} without id or at`, 'name both', 'TW-FED-002');
  }
};

export const programs: Readonly<Record<string, Program>> = {
  secrets_kept: secretsKept,
  other_version: every.otherVersion,
  no_token: every.noToken,
  other_token: every.otherToken,
  too_large: every.tooLarge,
  harness_token_alone: harnessTokenAlone,
  trace_kept: traceKept,
  copies_alike: copiesAlike,
  frames_named: framesNamed,
  answer_the_call: calls.answerTheCall,
  bad_addresses_refused: calls.badAddressesRefused,
  too_many_agents_refused: calls.tooManyAgentsRefused,
  probed_without_a_token: calls.probedWithoutAToken,
  never_probed: calls.neverProbed,
  healthy_for_35_seconds: calls.healthyFor35Seconds,
  a_life_of_a_node: calls.aLifeOfANode,
  the_second_came_to_the_node: calls.secondCameToTheNode,
  timeline_in_order: calls.timelineInOrder,
  waited_twelve_seconds: calls.waitedTwelveSeconds,
  twenty_calls_wait_for_the_dead: calls.twentyCallsWait,
  cancel_all: calls.cancelAll,
  executions_add_up: calls.executionsAddUp,
  key_files_refused: files.keyFilesRefused,
  secrets_made: files.secretsMade,
  placement_names_refused: files.placementNamesRefused,
  edit_flow: files.editFlow,
  answer_blue: people.answerBlue,
  halt: people.halt,
  finish_and_approve: people.finishAndApprove,
  note_finish_approve: people.noteFinishApprove,
  nudge_and_reject: people.nudgeAndReject,
  each_picks_its_own: people.eachPicksItsOwn,
  picks_while_stopping: people.picksWhileStopping,
  lasted_three_seconds: people.lastedThreeSeconds,
  successor_waits: people.successorWaits,
  refuses_while_it_starts: people.refusesWhileItStarts,
  second_after_a_second: people.secondAfterASecond,
};
