/** What ends an agent's turn without a pick, from what was seen to the one event that the machine gets (TW-RUN-011). */
import { type FaultCode, faults } from '@turnwire/sdk';
import { conversationOf } from './conversations.ts';
import { type Draft, tell } from './draft.ts';
import { drive } from './drive.ts';
import { endRun } from './end.ts';
import { endExecution } from './executions.ts';
import type { Turn, TurnFault } from './state.ts';
import { stateName } from './texts.ts';
import { closeTurn, dropTurn, endIntent, moveToFresh, oweAbort } from './turns.ts';

type FaultTable = Record<
  string,
  {
    category: string;
    settlements?: readonly string[];
    answers?: readonly string[];
    certainties?: readonly string[];
    rerunnable: boolean;
  }
>;
const table: FaultTable = faults satisfies Record<FaultCode, unknown> as FaultTable;

/** Looks a settlement's error code, an answer's code or a certainty up in the spec's one table. */
export function faultFor(column: 'settlements' | 'answers' | 'certainties', word: string): string | undefined {
  return Object.keys(table).find((code) => code === word || table[code]?.[column]?.includes(word));
}

export const isFaultCode = (code: string): boolean => code in table;

/** The turn cannot come to its end by itself. It is run once more if its Agent allows that, else the fault stands (TW-RUN-010). */
export function fail(draft: Draft, turn: Turn, fault: TurnFault): void {
  draft.changed = true;
  endIntent(draft, turn, fault.code);
  if (mayRerun(draft, turn, fault.code)) {
    rerun(draft, turn, fault.code);
    return;
  }
  endExecution(draft, turn, {
    status: fault.code === 'agent_timeout' ? 'timed_out' : 'failed',
    category: table[fault.code]?.category ?? 'internal_error',
    reason: fault.reason,
  });
  turn.heldFault = fault;
}

function mayRerun(draft: Draft, turn: Turn, code: string): boolean {
  const agent = draft.env.workflow.agents[turn.agent];
  return table[code]?.rerunnable === true && agent?.rerunnable === true && turn.reruns === 0 && turn.taken === 0;
}

function rerun(draft: Draft, turn: Turn, code: string): void {
  turn.reruns += 1;
  moveToFresh(draft, turn, `its last turn ended with ${code} and is run once more`);
  tellRetry(draft, turn, 'rerun', turn.reruns, code);
}

export function tellRetry(draft: Draft, turn: Turn, reason: 'nudge' | 'rerun', attempt: number, code?: string): void {
  tell(draft, 'run.retry', turn.turnId, {
    iid: turn.iid,
    turnId: turn.turnId,
    agent: turn.agent,
    reason,
    code,
    attempt,
  });
}

/** The turn is over, and the machine is told why. A fault that no transition takes ends the run (TW-RUN-012). */
export function raise(draft: Draft, turn: Turn, fault: TurnFault): void {
  const { agent, iid } = turn;
  const state = stateName(draft.state.value);
  delete turn.heldFault;
  closeTurn(draft, turn);
  if (fault.gone) dropTurn(draft, turn);
  else oweAbort(draft, turn, draft.env.now);
  const type = `agent.fault.${agent}`;
  const event = { type, input: { agent, iid, code: fault.code, reason: fault.reason } };
  const moved = drive(draft, event, { kind: 'fault' });
  if (moved || draft.state.status !== 'active') return;
  const reason = `${type} (${fault.code}: ${fault.reason}) was not taken in the state ${state}`;
  endRun(
    draft,
    { status: 'error', fault: { code: fault.code, reason, event: type, state, agent, iid } },
    { kind: 'fault' },
  );
}

/** The Harness no longer has the conversation: it is not gone on with (TW-RUN-019). */
export function markLost(draft: Draft, turn: Turn): void {
  const conversation = conversationOf(draft, turn.iid);
  if (conversation) conversation.lost = true;
}
