/** Inputs coming in and answers going out: both are checked against what the author declared. */
import type { ZodType } from 'zod';
import { reasonOf, unsaveable } from './json.ts';
import type { Answer, CheckedInput, JsonValue, MachineEvent, Snapshot, Workflow } from './port.ts';

export function checkRunInput(workflow: Workflow, input: unknown): CheckedInput {
  return check(workflow.inputSchema, input);
}

export function checkInput(workflow: Workflow, eventName: string, input: unknown): CheckedInput {
  const event = workflow.events[eventName];
  if (!event)
    return {
      ok: false,
      problems: [{ path: '', message: `the workflow '${workflow.name}' has no event '${eventName}'` }],
    };
  return check(event.input, input);
}

function check(schema: ZodType, input: unknown): CheckedInput {
  try {
    const parsed = schema.safeParse(input);
    if (parsed.success) return { ok: true, value: parsed.data };
    return {
      ok: false,
      problems: parsed.error.issues.map(({ path, message }) => ({ path: pointer(path), message })),
    };
  } catch (error) {
    // An author's refinement threw, or the schema is asynchronous.
    return { ok: false, problems: [{ path: '', message: `the schema could not be applied: ${reasonOf(error)}` }] };
  }
}

/** What a pick's receipt carries back at Rest. `event` is the pick as it was delivered, `snapshot` the state at Rest. */
export function answerOf(workflow: Workflow, eventName: string, snapshot: Snapshot, event: MachineEvent): Answer {
  const answer = workflow.events[eventName]?.answer;
  if (!answer) return {};
  try {
    const value = answer({ context: snapshot.context, event });
    const lost = unsaveable(value, 'answer');
    if (lost) return { answerError: `${lost.path} holds ${lost.what}, which is not JSON` };
    return value === undefined ? {} : { answer: value as JsonValue };
  } catch (error) {
    return { answerError: reasonOf(error) };
  }
}

/** A JSON Pointer (RFC 6901) into the input; `''` is the whole. */
const pointer = (path: readonly PropertyKey[]): string =>
  path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
