/** What a person reads while a run goes on: one frame of its feed, a line or a few. */
import type { FeedEvent, JsonValue, RunView } from '@turnwire/sdk';
import type { FollowOptions } from './follow.ts';
import { type Io, print, printJson } from './io.ts';
import { stateText } from './runs.ts';
import { faultText } from './status.ts';

type Data = FeedEvent['data'];
type Gate = Pick<RunView['gates'][number], 'gate' | 'gateId' | 'accepts'>;

/** How `run` and `logs -f` follow: frames on stdout, what is about the connection on stderr. */
export function followerOf(io: Io, json: boolean): FollowOptions {
  const progress = new Progress();
  const note = (text: string) => io.err(`turnwire: ${text}\n`);
  return {
    signal: io.signal,
    onFrame: (frame) => {
      if (json) return printJson(io, frame);
      for (const line of progress.lines(frame)) print(io, line);
    },
    onLost: (reason) => note(`lost the orchestrator (${reason}); looking for it`),
    onBack: () => note('the orchestrator is back'),
  };
}

/** Remembers what was said, so that the snapshot after a reconnection tells only what is new. */
export class Progress {
  readonly #told = new Map<string, string>();

  lines(frame: FeedEvent): string[] {
    const at = clockText(frame.data.at);
    return this.#said(frame).map((line, index) =>
      index === 0 ? `${at}  ${line}` : `${' '.repeat(at.length)}    ${line}`,
    );
  }

  #said({ event, data }: FeedEvent): string[] {
    switch (event) {
      case 'snapshot':
        return this.#snapshot(data);
      case 'run.status':
        return this.#once('run', `${text(data.status)} ${stateText(data.value)}`, [statusLine(data)]);
      case 'run.emit':
        return [`emitted ${JSON.stringify(data.event ?? data)}`];
      case 'run.retry':
        return [retryLine(data)];
      case 'pick':
        return [pickLine(data)];
      case 'gate.opened':
        return this.#gate(text(data.runId), data.gate as unknown as Gate);
      case 'gate.closed':
        return [`gate ${text(data.gate)} closed${data.event ? ` by ${text(data.event)}` : ''}`];
      case 'execution.started': {
        const { executionId, agent, status } = data.execution as unknown as RunView['executions'][number];
        return this.#execution(executionId, agent, status, data);
      }
      default:
        // TW-FED-006: what is not known is passed over.
        return event.startsWith('execution.')
          ? this.#execution(text(data.executionId), text(data.agent), event.slice('execution.'.length), data)
          : [];
    }
  }

  #snapshot(data: Data): string[] {
    const runs = (data.runs ?? []) as unknown as RunView[];
    return runs.flatMap((run) => [
      ...this.#once('run', `${run.status} ${stateText(run.value)}`, [
        `run ${run.runId} is ${run.status} in ${stateText(run.value)}`,
      ]),
      ...run.executions.flatMap(({ executionId, agent, status }) => this.#execution(executionId, agent, status, {})),
      ...run.gates.flatMap((gate) => this.#gate(run.runId, gate)),
    ]);
  }

  #execution(executionId: string, agent: string, status: string, { category }: Data): string[] {
    const why = category ? ` (${text(category)})` : '';
    return this.#once(executionId, status, [`agent ${agent} ${status.replaceAll('_', ' ')}${why}`]);
  }

  #gate(runId: string, gate: Gate): string[] {
    return this.#once(gate.gateId, 'open', [`gate ${gate.gate} waits; answer it with`, ...answerLines(runId, gate)]);
  }

  #once(subject: string, state: string, lines: string[]): string[] {
    if (this.#told.get(subject) === state) return [];
    this.#told.set(subject, state);
    return lines;
  }
}

/** The exact command for each event that a gate accepts, with an input to fill in where it needs one. */
export function answerLines(runId: string, { gate, accepts }: Pick<Gate, 'gate' | 'accepts'>): string[] {
  return (accepts ?? []).map(({ name, input, description }) => {
    const sample = sampleOf(input);
    const json = sample === undefined ? '' : ` ${quoted(JSON.stringify(sample))}`;
    return `turnwire send ${runId} ${quoted(gate)} ${name}${json}${description ? `   # ${description}` : ''}`;
  });
}

/** A value of the right shape for each required property; undefined when nothing is required. */
function sampleOf(schema: JsonValue): JsonValue | undefined {
  const { required, properties } = schema as { required?: string[]; properties?: Record<string, { type?: string }> };
  if (!required || required.length === 0) return undefined;
  return Object.fromEntries(required.map((name) => [name, placeholder(properties?.[name]?.type)]));
}

function placeholder(type: string | undefined): JsonValue {
  switch (type) {
    case 'number':
    case 'integer':
      return 0;
    case 'boolean':
      return true;
    case 'array':
      return [];
    case 'object':
      return {};
    default:
      return '…';
  }
}

/** As a POSIX shell takes it for one word. */
export const quoted = (word: string): string =>
  /^[\w.,:@%+/=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

function pickLine(data: Data): string {
  const event = text(data.event);
  if (data.status === 'outstanding') return `pick ${event}: the workflow works on it`;
  const how = data.moved === false ? 'no transition takes it' : 'taken';
  const end = data.endedBy ? `, the turn was ended by: ${text(data.endedBy)}` : ', the turn is complete';
  return `pick ${event}: ${how}${data.turnComplete === true ? end : ''}`;
}

function retryLine(data: Data): string {
  const how = data.reason === 'rerun' ? 'is run once more' : 'is prompted again';
  return `agent ${text(data.agent)} ${how}${data.code ? ` after ${text(data.code)}` : ''}`;
}

function statusLine(data: Data): string {
  const fault = data.fault as unknown as RunView['fault'];
  const where = stateText(data.value);
  return `run is ${text(data.status)}${where ? ` in ${where}` : ''}${fault ? `: ${faultText(fault)}` : ''}`;
}

const text = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

function clockText(at: JsonValue | undefined): string {
  const date = new Date(typeof at === 'string' ? at : Date.now());
  return Number.isNaN(date.getTime()) ? '--:--:--' : date.toTimeString().slice(0, 8);
}
