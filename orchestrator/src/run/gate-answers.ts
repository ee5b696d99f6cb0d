/** What an answer to a gate must pass before the machine gets it. */
import type { Draft } from './draft.ts';
import { drive } from './drive.ts';
import type { JsonValue } from './json.ts';
import { HostRefusal } from './refusal.ts';
import type { KeyRow } from './rows.ts';
import type { Gate } from './state.ts';
import { gateViews } from './view.ts';

export interface GateAnswer {
  /** The name, or the `gateId` of one visit (TW-GAT-002). */
  gate: string;
  event: string;
  input: JsonValue;
  bodyHash: string;
  key?: string;
  /** Answers under this key to visits of this gate, newest first. */
  known: readonly KeyRow[];
}

export interface GateReply {
  moved: boolean;
  replayed: boolean;
}

/** TW-GAT-001 … TW-GAT-008. @throws HostRefusal */
export function answerGate(draft: Draft, answer: GateAnswer): GateReply {
  const { state, env } = draft;
  const gate = state.gates.find((open) => open.gateId === answer.gate || open.gate === answer.gate);
  const replay = replayed(answer);
  if (replay) return replay;
  if (!gate) throw closed(draft, answer.gate);
  const value = checked(draft, gate, answer);
  draft.answering = { gateId: gate.gateId, event: answer.event };
  const moved = drive(draft, { type: answer.event, input: value }, { kind: 'inside', stateId: gate.stateId });
  delete draft.answering;
  if (answer.key !== undefined) {
    const scope = gate.gateId;
    draft.keys.push({
      scope,
      key: answer.key,
      runId: state.runId,
      bodyHash: answer.bodyHash,
      answer: { moved, gate: gate.gate },
      at: env.now,
    });
  }
  return { moved, replayed: false };
}

/**
 * TW-GEN-018, TW-GEN-020: the scope is the visit that took the key. A request that names the gate does not say which visit it
 * means, so one that took this key is the one, open or over: a copy never lands in the next visit (TW-GAT-009).
 *
 * @returns the answer that is recorded, when this request is a copy of it
 * @throws HostRefusal `idempotency_mismatch`
 */
export function replayed(answer: Pick<GateAnswer, 'gate' | 'bodyHash' | 'known'>): GateReply | undefined {
  const { gate, known } = answer;
  const row = known.find(({ scope }) => scope === gate) ?? known.find((one) => one.answer.gate === gate);
  if (!row) return undefined;
  if (row.bodyHash !== answer.bodyHash) {
    throw new HostRefusal('idempotency_mismatch', 'this key was used for another answer to this gate');
  }
  return { moved: row.answer.moved === true, replayed: true };
}

function closed(draft: Draft, name: string): HostRefusal {
  const openGates = gateViews(draft, draft.state.gates) as unknown as JsonValue;
  return new HostRefusal('gate_closed', `the gate ${name} is not open`, { openGates });
}

function checked(draft: Draft, gate: Gate, answer: GateAnswer): unknown {
  const { machines, workflow } = draft.env;
  const accepts = machines.gateAccepts(workflow, draft.snapshot, gate.invokeId);
  const refuse = (problems: { path: string; message: string }[]) =>
    new HostRefusal('refused', `the gate ${gate.gate} does not take this answer`, {
      problems: problems as unknown as JsonValue,
      accepts: accepts as unknown as JsonValue,
    });
  if (!accepts.some((item) => item.name === answer.event)) {
    throw refuse([{ path: '/event', message: `${answer.event} is not an event that this gate takes` }]);
  }
  const result = machines.checkInput(workflow, answer.event, answer.input);
  if (!result.ok) throw refuse(result.problems);
  return result.value;
}
