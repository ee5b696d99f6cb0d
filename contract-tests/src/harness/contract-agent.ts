/**
 * The `contract` agent: a harness whose model is not OpenAI-compatible follows a script that stands in the admission's
 * message (docs/contract-agent.md). What a case scripts for the model becomes such a message; a case that looks at what a
 * model is told, or that makes it fail, needs a model that the kit plays.
 */
import type { Condition, Reply, Rule } from '../model/script.ts';
import { isRecord } from '../shape.ts';
import type { Admission, Arrived, HarnessCase, Step, WaitFor } from './case.ts';

/** Declares the agent: `--capability contractAgent`. */
export const contractAgent = 'contractAgent';
/** What a case needs that the agent cannot stand in for. */
export const playedModel = 'a model behind OPENAI_BASE_URL';

/** One step of the script: what the agent says, and what it then picks. */
export interface ScriptStep {
  readonly text?: string;
  readonly picks?: readonly { readonly name: string; readonly input: unknown }[];
  readonly usage?: Reply['usage'];
  /** Milliseconds before it says anything; and of a text that comes in pieces, between two of so many characters. */
  readonly delayMs?: number;
  readonly chunkSize?: number;
  readonly chunkDelayMs?: number;
  /** Nothing ever comes. */
  readonly hang?: true;
}

/** A runaway turn goes on for more calls than are allowed; no script needs more. */
const mostSteps = 300;

const understood = new Set(['step', 'lastMessage', 'messages', 'called']);
const speakable = new Set(['text', 'toolCalls', 'usage', 'delayMs', 'chunkSize', 'chunkDelayMs', 'hang']);

/** The script of one admission; undefined when its rules say more than a script can. */
export function scriptOf(rules: readonly Rule[], message: string): readonly ScriptStep[] | undefined {
  const steps: ScriptStep[] = [];
  const called: Record<string, number> = {};
  while (steps.length < mostSteps) {
    const rule = rules.find(({ when = {} }) => holds(when, steps.length + 1, message, called));
    const step = stepOf(rule?.reply ?? { text: 'I have nothing to pick.' });
    if (step === undefined) return undefined;
    steps.push(step);
    for (const { name } of step.picks ?? []) called[name] = (called[name] ?? 0) + 1;
    if (step.hang || step.picks === undefined) return steps;
  }
  return steps;
}

function holds(when: Condition, nth: number, message: string, called: Readonly<Record<string, number>>): boolean {
  const [first, last] = [when.step ?? [1, mostSteps]].flat() as [number, number?];
  const said = [when.lastMessage, when.messages].every((each) => typeof each !== 'string' || message.includes(each));
  const counts = Object.entries(when.called ?? {}).every(([name, count]) => (called[name] ?? 0) === count);
  return nth >= first && nth <= (last ?? first) && said && counts;
}

function stepOf({ toolCalls, ...reply }: Reply): ScriptStep | undefined {
  if (toolCalls?.some(({ rawArguments }) => rawArguments !== undefined)) return undefined;
  const picks = toolCalls?.map(({ name, input = {} }) => ({ name, input }));
  return { ...(reply as ScriptStep), ...(picks && { picks }) };
}

const isScript = (rules: readonly Rule[]): boolean =>
  rules.every(
    ({ when = {}, reply, extract }) =>
      extract === undefined &&
      Object.keys(when).every((word) => understood.has(word)) &&
      Object.keys(reply).every((word) => speakable.has(word)),
  );

/** What an admission carries for the agent: without a definition, because the harness has this agent of its own. */
export function contractBody(rules: readonly Rule[], message: string, mark: string): Record<string, unknown> {
  return { message: JSON.stringify({ steps: scriptOf(rules, message) ?? [], say: `${message} ${mark}` }) };
}

/** The case as it is asked of such a harness; undefined when it needs a model that the kit plays. */
export function forContractAgent(of: HarnessCase): HarnessCase | undefined {
  const text = JSON.stringify(of.steps);
  const needsModel = !isScript(of.model) || text.includes('openai-compatible') || text.includes('go {mark}');
  if (needsModel || of.steps.some(looksAtModel)) return undefined;
  const messages = of.steps.flatMap(({ admit }) => (admit ? [admit.message ?? 'go'] : []));
  if (messages.some((message) => scriptOf(of.model, message) === undefined)) return undefined;
  // Reads and aborts are of its conversation; an admission that a case writes by hand is of an agent that is not configured.
  const paths = text.replaceAll(/\/agents\/coder\/([^"/?]*)(\?view|\/abort)/g, '/agents/contract/$1$2');
  const steps = (JSON.parse(paths) as Step[]).map(stepFor);
  return { ...of, steps };
}

/** Members of what the model was told that the history holds as well. */
const inHistory = new Set(['results', 'roles']);

function looksAtModel({ admit, arrived }: Step): boolean {
  const overrides = ['model', 'thinkingLevel'].some((name) => name in (admit?.body ?? {}));
  const told = arrived?.model;
  const words = Array.isArray(told) ? told.flatMap((one) => (isRecord(one) ? Object.keys(one) : [])) : [];
  return overrides || arrived?.sameTools === true || words.some((word) => !inHistory.has(word));
}

function stepFor(step: Step): Step {
  const { wait, arrived, admit } = step;
  return {
    ...step,
    ...(wait && { wait: waitFor(wait) }),
    ...(arrived && { arrived: arrivedFor(arrived) }),
    ...(admit && { admit: admitFor(admit) }),
  };
}

/** The surface is read once before each step, and what the step is told is stored before it begins. */
function waitFor({ model, ...rest }: WaitFor): WaitFor {
  return model === undefined ? rest : { ...rest, surfaces: model, messages: model };
}

/** What the last step was told stands in the history; how often it was asked shows nowhere. */
function arrivedFor({ model, ...rest }: Arrived): Arrived {
  const last = Array.isArray(model) ? (model.at(-1) as { results?: unknown } | undefined) : undefined;
  return last?.results === undefined ? rest : { ...rest, results: last.results };
}

const admitFor = ({ name, ...rest }: Admission): Admission => ({ ...rest, name: name ?? 'contract' });
