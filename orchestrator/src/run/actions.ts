/** What the machine asks for, as entries of the ledger: nothing is performed here. */
import { type Cause, type Draft, tell } from './draft.ts';
import { closeGate, openGate } from './gates.ts';
import type { JsonObject } from './json.ts';
import { asJson, type CustomAction, type MachineAction, type StartAction } from './machines.ts';
import { post } from './mail.ts';
import { leaveInvocation, openTurn } from './turns.ts';

export function applyActions(
  draft: Draft,
  actions: readonly MachineAction[],
  origin: { event: JsonObject; before?: JsonObject },
  cause: Cause,
): void {
  for (const action of actions) apply(draft, action, cause);
  // After the starts: an actor of this step gets what it is sent in it.
  for (const action of actions) if (action.kind === 'send') post(draft, action.to, action.event);
  const custom = actions.filter((action): action is CustomAction => action.kind === 'custom');
  if (custom.length > 0) {
    const id = draft.env.newId('act');
    draft.state.acts.push({
      id,
      event: origin.event,
      ...(origin.before === undefined ? {} : { before: origin.before }),
    });
    draft.actions.set(id, custom);
  }
}

function apply(draft: Draft, action: MachineAction, cause: Cause): void {
  const { state } = draft;
  switch (action.kind) {
    case 'start':
      start(draft, action);
      return;
    case 'stop':
      stop(draft, action.id, action.actor, cause);
      return;
    case 'schedule':
      schedule(draft, action);
      return;
    case 'unschedule':
      state.deadlines = state.deadlines.filter((deadline) => deadline.id !== action.id);
      return;
    case 'emit':
      tell(draft, 'run.emit', state.runId, { event: asJson(action.event) });
      return;
    case 'send':
    case 'custom':
      return;
  }
}

function start(draft: Draft, action: StartAction): void {
  if (action.actor === 'agent') openTurn(draft, action);
  else if (action.actor === 'gate') openGate(draft, action);
  else draft.state.actors.push({ id: action.id, key: draft.env.newId('actor'), stateId: action.stateId });
}

function stop(draft: Draft, id: string, actor: 'agent' | 'gate' | 'actor', cause: Cause): void {
  if (actor === 'agent') leaveInvocation(draft, id, cause);
  else if (actor === 'gate') closeGate(draft, id);
  else draft.state.actors = draft.state.actors.filter((running) => running.id !== id);
}

/** TW-DUR-015: kept as the moment at which it is due. */
function schedule(draft: Draft, action: Extract<MachineAction, { kind: 'schedule' }>): void {
  const { state, env } = draft;
  const order = state.counter++;
  const id = action.id ?? `delayed-${order}`;
  const target = action.target === undefined ? {} : { target: action.target };
  state.deadlines = [
    ...state.deadlines.filter((deadline) => deadline.id !== id),
    { id, at: env.now + action.delayMs, order, event: asJson(action.event), ...target },
  ];
}
