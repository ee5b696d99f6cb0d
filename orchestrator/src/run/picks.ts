/** A pick, checked in the order that the wire promises (TW-PIC-011), and given to the machine once. */
import { allowedNow, answerOf, deliveryKey, holdDelivery, markOutstanding, tellPick } from './deliveries.ts';
import type { Draft } from './draft.ts';
import { drive } from './drive.ts';
import type { JsonValue } from './json.ts';
import { HostRefusal } from './refusal.ts';
import type { DeliveryRow } from './rows.ts';
import type { Turn } from './state.ts';
import { wasPutToModel } from './unread.ts';
import type { DeliveryAnswer, InputProblem, PickBody } from './views.ts';

export interface PickRequest {
  placement: string;
  iid: string;
  body: PickBody;
  bodyHash: string;
  /** The delivery of this id, if one is recorded. */
  known?: DeliveryRow;
}

/**
 * Everything between "body" and "delivered to the machine".
 * @returns what to answer once the step is concluded
 * @throws HostRefusal when it is not taken
 */
export function pick(draft: Draft, request: PickRequest): () => DeliveryAnswer {
  const turn = draft.state.turns.find((one) => one.iid === request.iid && one.phase === 'open');
  mustBePlaced(turn?.placement ?? request.known?.placement, request);
  if (request.known) return again(request.known, request);
  if (!turn || turn.turnId !== request.body.turnId) throw turnOver();
  if (turn.outstanding) throw outstandingNow(turn.outstanding);
  const value = checkedInput(draft, turn, request.body);
  const deliveryId = request.body.deliveryId ?? draft.env.newId('delivery');
  deliver(draft, turn, { ...request, deliveryId }, value);
  return () => answerOf(draft.deliveries.get(deliveryKey({ iid: turn.iid, deliveryId })) as DeliveryRow);
}

function mustBePlaced(placement: string | undefined, request: PickRequest): void {
  if (placement === undefined) throw turnOver();
  if (placement !== request.placement) {
    throw new HostRefusal('wrong_placement', 'this turn runs in another placement'); // TW-PIC-016
  }
}

/** TW-PIC-003, TW-PIC-004: the same id is the same delivery, whatever became of its turn. */
function again(known: DeliveryRow, request: PickRequest): () => DeliveryAnswer {
  if (known.bodyHash !== request.bodyHash) {
    throw new HostRefusal('delivery_mismatch', `delivery ${known.deliveryId} was made with another body`);
  }
  return () => answerOf(known);
}

function deliver(draft: Draft, turn: Turn, request: PickRequest & { deliveryId: string }, value: unknown): void {
  const { env, state } = draft;
  const { deliveryId, body } = request;
  const row: DeliveryRow = {
    iid: turn.iid,
    deliveryId,
    runId: state.runId,
    turnId: turn.turnId,
    placement: turn.placement,
    event: body.event,
    bodyHash: request.bodyHash,
    status: 'outstanding',
    transitions: 0,
    at: env.now,
  };
  holdDelivery(draft, turn, row, body.input);
  turn.taken += 1;
  wasPutToModel(draft, turn);
  draft.picked = { turnId: turn.turnId, deliveryId };
  const moved = drive(draft, { type: body.event, input: value }, { kind: 'pick', turnId: turn.turnId });
  markOutstanding(draft, turn, moved);
}

/** TW-PIC-007: outside the invoking state's own set, or an input that fails its schema. Its guards are the machine's to ask. */
function checkedInput(draft: Draft, turn: Turn, body: PickBody): unknown {
  const { machines, workflow } = draft.env;
  const own = machines.ownPicks(workflow, draft.snapshot, turn.invokeId);
  if (!own.includes(body.event)) {
    throw refused(draft, turn, [{ path: '/event', message: `${body.event} cannot be picked in this state` }]);
  }
  const checked = machines.checkInput(workflow, body.event, body.input);
  if (!checked.ok) throw refused(draft, turn, checked.problems);
  return checked.value;
}

function refused(draft: Draft, turn: Turn, problems: InputProblem[]): HostRefusal {
  return new HostRefusal('refused', 'this pick cannot be taken as it is', {
    problems: problems as unknown as JsonValue,
    allowed: allowedNow(draft, turn),
  });
}

/** TW-PIC-005. */
const outstandingNow = ({ deliveryId, event }: { deliveryId: string; event: string }): HostRefusal =>
  new HostRefusal('pick_outstanding', `the pick ${event} is still being worked on`, { deliveryId, event });

export const turnOver = (): HostRefusal => new HostRefusal('turn_over', 'this turn is over');

/** The pick of this step that the conclusion left unanswered: its readers are told. */
export function tellOutstanding(draft: Draft): void {
  for (const turn of draft.state.turns) {
    const { outstanding } = turn;
    if (!outstanding || draft.picked?.turnId !== turn.turnId) continue;
    if (outstanding.deliveryId === draft.picked.deliveryId) tellPick(draft, turn, outstanding);
  }
}
