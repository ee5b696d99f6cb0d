/** One pick on its way: taken once, answered when the workflow is at Rest or the state is left. */
import { conversationOf } from './conversations.ts';
import { type Draft, tell } from './draft.ts';
import type { JsonValue } from './json.ts';
import type { DeliveryRow } from './rows.ts';
import type { Outstanding, Turn } from './state.ts';
import { recordPick } from './unread.ts';
import type { DeliveryAnswer, Receipt } from './views.ts';

/** What may be picked now, and stands in the menu that this conversation was given. */
export function allowedNow(draft: Pick<Draft, 'env' | 'snapshot' | 'state'>, turn: Turn): string[] {
  const { machines, workflow } = draft.env;
  const allowed = machines.allowedPicks(workflow, draft.snapshot, turn.invokeId);
  const menu = conversationOf(draft, turn.iid)?.menu;
  return menu === undefined ? allowed : allowed.filter((name) => menu.some((item) => item.name === name));
}

/** The delivery is taken: from here on it is held in the ledger, across restarts (TW-DLV-009). */
export function holdDelivery(draft: Draft, turn: Turn, row: DeliveryRow, input: JsonValue): void {
  turn.outstanding = {
    deliveryId: row.deliveryId,
    event: row.event,
    input,
    moved: false,
    bodyHash: row.bodyHash,
    at: row.at,
  };
  saveDelivery(draft, row);
}

/** The machine has had it, and the workflow is still at work. */
export function markOutstanding(draft: Draft, turn: Turn, moved: boolean): void {
  if (!turn.outstanding) return;
  turn.outstanding = { ...turn.outstanding, moved };
  const row = rowOf(draft, turn, turn.outstanding);
  saveDelivery(draft, row);
}

interface Ending {
  moved: boolean;
  turnComplete: boolean;
  endedBy?: string;
  answer?: JsonValue;
  answerError?: string;
}

/** TW-DLV-003, TW-DLV-004, TW-DLV-005. */
export function answerOutstanding(draft: Draft, turn: Turn, ending: Ending): void {
  const { outstanding } = turn;
  if (!outstanding) return;
  const receipt: Receipt = {
    status: 'delivered',
    deliveryId: outstanding.deliveryId,
    event: outstanding.event,
    moved: ending.moved,
    turnComplete: ending.turnComplete,
    allowed: ending.turnComplete ? [] : allowedNow(draft, turn),
    ...(ending.answer === undefined ? {} : { answer: ending.answer }),
    ...(ending.answerError === undefined ? {} : { answerError: ending.answerError }),
    ...(ending.endedBy === undefined ? {} : { endedBy: ending.endedBy }),
  };
  const row = rowOf(draft, turn, { ...outstanding, moved: ending.moved });
  saveDelivery(draft, { ...row, status: 'delivered', receipt, answeredAt: draft.env.now });
  delete turn.outstanding;
  recordPick(turn, { event: outstanding.event, moved: ending.moved });
  tellPick(draft, turn, outstanding, receipt);
}

export function tellPick(
  draft: Draft,
  turn: Turn,
  pick: Pick<Outstanding, 'deliveryId' | 'event'>,
  receipt?: Receipt,
): void {
  tell(draft, 'pick', pick.deliveryId, {
    iid: turn.iid,
    turnId: turn.turnId,
    deliveryId: pick.deliveryId,
    event: pick.event,
    status: receipt ? 'delivered' : 'outstanding',
    moved: receipt?.moved,
    turnComplete: receipt?.turnComplete,
    endedBy: receipt?.endedBy,
  });
}

function rowOf(draft: Draft, turn: Turn, outstanding: Outstanding): DeliveryRow {
  const { deliveryId, event, bodyHash, at, moved } = outstanding;
  return {
    iid: turn.iid,
    deliveryId,
    runId: draft.state.runId,
    turnId: turn.turnId,
    placement: turn.placement,
    event,
    bodyHash,
    status: 'outstanding',
    transitions: moved ? 1 : 0,
    at,
  };
}

const saveDelivery = (draft: Draft, row: DeliveryRow): void => {
  draft.deliveries.set(deliveryKey(row), row);
};

/** Ids are their client's: another conversation may use the same one. */
export const deliveryKey = ({ iid, deliveryId }: Pick<DeliveryRow, 'iid' | 'deliveryId'>): string =>
  `${iid}/${deliveryId}`;

/** The answer that holds now (TW-PIC-003). */
export function answerOf(row: DeliveryRow): DeliveryAnswer {
  if (row.receipt) return { status: 200, receipt: row.receipt };
  const { deliveryId, event } = row;
  return { status: 202, outstanding: { status: 'outstanding', deliveryId, event } };
}
