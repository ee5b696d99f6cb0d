/** The built-in Machine of an ad-hoc call: one state, one Agent, one pick. Built again from what its run has saved. */
import { assign } from 'xstate';
import { z } from 'zod';
import { CALL_WORKFLOWS_KEPT } from '../limits.ts';
import { defineAgent, defineEvent } from '../machine/define.ts';
import { workflowOf } from '../machine/load.ts';
import type { JsonValue, MenuItem, Workflow } from '../machine/port.ts';
import { setup } from '../machine/setup.ts';
import type { CallState } from '../run/state.ts';
import { type Checker, resultChecker } from './result-schema.ts';

/** No module can have this name: theirs have no dot. */
export const CALL_WORKFLOW = 'turnwire.call';

/** The Machine's one slot; its Harness knows the Agent by the name in the target. */
const SLOT = 'agent';

type Definition = Pick<CallState, 'node' | 'output' | 'timeoutMs'>;

const made = new Map<string, Workflow>();

/** The Workflow of one call; the same object for the same node, schema and deadline, as long as it is kept. */
export function callWorkflow({ node, output, timeoutMs }: Definition): Workflow {
  const id = JSON.stringify([node, output, timeoutMs]);
  const known = made.get(id);
  if (known) return known;
  const workflow = build({
    node,
    ...(output !== undefined && { output }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  });
  for (const old of made.keys()) if (made.size >= CALL_WORKFLOWS_KEPT) made.delete(old);
  made.set(id, workflow);
  return workflow;
}

function build({ node, output, timeoutMs }: Definition): Workflow {
  const answer = defineEvent({
    name: 'answer',
    description: 'Answers the request. `result` is what the caller gets, and the turn is over with it.',
    input: z.object({ result: resultOf(resultChecker(output)) }),
  });
  // A placeholder: the node's own Agent is asked, and is sent no definition.
  const slot = defineAgent({ model: 'node/own', instructions: 'Its own.', placement: node });
  const machine = setup({
    input: z.object({ prompt: z.string() }),
    types: {} as { context: { prompt: string; result?: JsonValue } },
    events: [answer],
    agents: { [SLOT]: slot },
  }).createMachine({
    context: ({ input }: { input: { prompt: string } }) => ({ prompt: input.prompt }),
    initial: 'asking',
    states: {
      asking: {
        invoke: { src: SLOT, input: ({ context }: { context: { prompt: string } }) => ({ prompt: context.prompt }) },
        on: {
          answer: {
            target: 'answered',
            actions: assign({ result: ({ event }) => event.input.result as JsonValue }),
          },
          'agent.fault.*': 'failed',
        },
        ...(timeoutMs !== undefined && { after: { [timeoutMs]: 'timed_out' } }),
      },
      answered: { type: 'final' },
      failed: { type: 'final' },
      timed_out: { type: 'final' },
    },
  } as never);
  const workflow = workflowOf(CALL_WORKFLOW, CALL_WORKFLOW, machine as never);
  if ('findings' in workflow) throw new Error(workflow.findings.map(({ message }) => message).join('\n'));
  return { ...workflow, menus: { [SLOT]: [answerItem(answer.description, output)] } };
}

const resultOf = (check: Checker) =>
  z.json().superRefine((value, context) => {
    for (const { path, message } of check(value)) context.addIssue({ code: 'custom', path, message });
  });

/** The tool as the model sees it. The schema is the Agent's own, untouched but for its definitions, which references find at the root. */
function answerItem(description: string | undefined, output: CallState['output']): MenuItem {
  const { $schema: _, $defs, definitions, ...result } = typeof output === 'object' ? output : {};
  return {
    name: 'answer',
    ...(description !== undefined && { description }),
    input: {
      type: 'object',
      properties: { result },
      required: ['result'],
      ...($defs !== undefined && { $defs }),
      ...(definitions !== undefined && { definitions }),
    },
  };
}
