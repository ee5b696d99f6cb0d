/** What is about to be sent to a Harness, saved before it is (TW-DUR-012). */

import { conversationOf } from './conversations.ts';
import { changeIntent, type Draft } from './draft.ts';
import type { IntentRow } from './rows.ts';
import type { RunState, Turn } from './state.ts';

interface Prompt {
  message: string;
  notices: string[];
}

/** Saves a new intent for the turn; the one before it has ended. */
export function saveIntent(draft: Draft, turn: Turn, prompt: Prompt): void {
  const { env, state } = draft;
  const key = env.newId('key');
  const store = conversationOf(draft, turn.iid)?.store ?? env.placement(turn.placement).store;
  const address = env.placement(turn.placement).baseUrl;
  const row: IntentRow = {
    key,
    runId: state.runId,
    turnId: turn.turnId,
    agent: nameOf(state, turn),
    iid: turn.iid,
    placement: turn.placement,
    body: JSON.stringify(bodyOf(draft, turn, prompt)),
    savedAt: env.now,
    ...(store === undefined ? {} : { store }),
    ...(address === undefined ? {} : { address }),
  };
  draft.intents.set(key, row);
  turn.intent = { key, doubt: false, ...(store === undefined ? {} : { store }) };
  delete turn.admission;
  delete turn.wait;
  delete turn.settlement;
  delete turn.deaf;
}

/** What its Harness calls the Agent: a workflow's slot, or the Agent of a node that a call asks. */
export const nameOf = ({ call }: Pick<RunState, 'call'>, { agent }: Pick<Turn, 'agent'>): string =>
  call?.agent ?? agent;

/** An intent that no copy of was taken ends here. */
export function withdrawIntent(draft: Draft, turn: Turn): void {
  if (turn.intent.fault === undefined) changeIntent(draft, turn.intent.key, { fault: 'unsent' });
}

interface Asked {
  prompt: string;
  continue: boolean;
  model?: string;
  thinkingLevel?: string;
}

/** What the state asks of its Agent, from the snapshot: the prompt is saved there and nowhere else. */
export function askedOf(draft: Draft, invokeId: string, given?: unknown): Asked {
  const { machines, workflow } = draft.env;
  const input =
    given ?? machines.invocations(workflow, draft.snapshot).find((one) => one.invokeId === invokeId)?.input ?? {};
  const { prompt, continue: goOn, model, thinkingLevel } = input as Record<string, unknown>;
  return {
    prompt: typeof prompt === 'string' ? prompt : JSON.stringify(prompt ?? input),
    continue: goOn === true,
    ...(typeof model === 'string' ? { model } : {}),
    ...(typeof thinkingLevel === 'string' ? { thinkingLevel } : {}),
  };
}

function bodyOf(draft: Draft, turn: Turn, prompt: Prompt) {
  const agent = draft.env.workflow.agents[turn.agent];
  const { model, thinkingLevel } = askedOf(draft, turn.invokeId);
  return {
    message: prompt.message,
    ...(agent === undefined || draft.state.call ? {} : { definition: definitionOf(agent) }),
    ...(model === undefined ? {} : { model }),
    ...(thinkingLevel === undefined ? {} : { thinkingLevel }),
    turnId: turn.turnId,
    ...(prompt.notices.length === 0 ? {} : { notices: prompt.notices }),
  };
}

/** What of an Agent's definition a Harness is told: where it runs and what we may do with it stays here. */
function definitionOf(agent: Draft['env']['workflow']['agents'][string]) {
  const { model, instructions, limits, thinkingLevel } = agent;
  return {
    model,
    instructions,
    ...(limits === undefined ? {} : { limits }),
    ...(thinkingLevel === undefined ? {} : { thinkingLevel }),
  };
}
