/** What a person reads while a run goes on: one frame of its feed, a line or a few, with the time that its record has. */
import type { FeedEvent, JsonValue, RunView } from '@turnwire/sdk';
import type { FollowOptions } from './follow.ts';
import type { FollowUp } from './follow-up.ts';
import { type Io, print, printJson } from './io.ts';
import { type Execution, endReason, executionText, type Gate, gateLines, stateText } from './run-text.ts';

type Data = FeedEvent['data'];

/** What is told, the first line with its time; a state as it stands now has none. */
interface Told {
  readonly at?: JsonValue | undefined;
  readonly lines: readonly string[];
}

const TERMINAL = new Set(['succeeded', 'failed', 'cancelled', 'timed_out']);

/** How `run` and `logs -f` follow: frames on stdout, what is about the connection on stderr. */
export function followerOf(io: Io, json: boolean, again: FollowUp): FollowOptions {
  const progress = new Progress(again);
  const note = (text: string) => io.err(`turnwire: ${text}\n`);
  return {
    signal: io.signal,
    onFrame: (frame) => {
      if (json) return printJson(io, frame);
      for (const line of progress.lines(frame)) print(io, line);
    },
    onLost: (last) => note(`lost the orchestrator (${lostText(last)}); looking for it`),
    onBack: () => note('the orchestrator is back'),
  };
}

/** A feed that was open answered 200 long ago: that is not why it is lost. */
function lostText(last: string): string {
  const status = /^http_(\d{3})$/.exec(last)?.[1];
  if (status === undefined) return last;
  return status.startsWith('2') ? 'its feed was cut' : `it answered ${status}`;
}

/** Remembers what was said, so that the snapshot after a reconnection tells only what is new. */
export class Progress {
  readonly #again: FollowUp;
  readonly #told = new Map<string, string>();

  constructor(again: FollowUp) {
    this.#again = again;
  }

  lines(frame: FeedEvent): string[] {
    return this.#said(frame).flatMap(({ at, lines }) => {
      const clock = clockText(at);
      return lines.map((line, index) => (index === 0 ? `${clock}  ${line}` : `${' '.repeat(clock.length)}    ${line}`));
    });
  }

  /** The whole state: what has happened in the order of its times, then how the run stands. */
  #snapshot(run: RunView): Told[] {
    const happened = [
      ...run.executions.flatMap((execution) => this.#known(execution)),
      ...run.gates.map((gate) => this.#gate(run.runId, gate.since, gate)),
    ];
    return [...happened.sort(byTime), this.#stands(run)];
  }

  #said({ event, data }: FeedEvent): Told[] {
    if (event === 'snapshot') return ((data.runs ?? []) as unknown as RunView[]).flatMap((run) => this.#snapshot(run));
    const { at } = data;
    switch (event) {
      case 'run.status':
        return [{ at, lines: this.#once('run', `${text(data.status)} ${stateText(data.value)}`, [statusLine(data)]) }];
      case 'run.emit':
        return [{ at, lines: [`emitted ${JSON.stringify(data.event ?? data)}`] }];
      case 'run.retry':
        return [{ at, lines: [retryLine(data)] }];
      case 'pick':
        return [{ at, lines: [pickLine(data)] }];
      case 'gate.opened':
        return [this.#gate(text(data.runId), at, data.gate as unknown as Gate)];
      case 'gate.closed':
        return [{ at, lines: [`gate ${text(data.gate)} closed${data.event ? ` by ${text(data.event)}` : ''}`] }];
      default:
        // TW-FED-006: what is not known is passed over.
        return event.startsWith('execution.') ? [this.#moved(event, data)] : [];
    }
  }

  #stands(run: RunView): Told {
    const state = stateText(run.value);
    const line = `${run.runId} is ${run.status}${state ? ` in ${state}` : ''}${endReason(run)}`;
    return { at: run.endedAt, lines: this.#once('run', `${run.status} ${state}`, [line]) };
  }

  /** A turn of a snapshot: when it began, if that was not told yet, and how it ended or stands. */
  #known(execution: RunView['executions'][number]): Told[] {
    const { executionId, agent, status, startedAt, endedAt } = execution;
    const isNew = startedAt !== undefined && !this.#told.has(executionId);
    const line = executionText(execution);
    if (!isNew) return [{ at: endedAt, lines: this.#execution(executionId, status, line) }];
    const ended = this.#execution(executionId, status, line);
    if (TERMINAL.has(status))
      return [
        { at: startedAt, lines: [`agent ${agent} began`] },
        { at: endedAt, lines: ended },
      ];
    return [{ at: startedAt, lines: [`agent ${agent} began, now ${status.replaceAll('_', ' ')}`] }];
  }

  #moved(event: string, data: Data): Told {
    const status = text(data.status) || event.slice('execution.'.length);
    const execution = { ...data, agent: text(data.agent), status } as unknown as Execution;
    return { at: data.at, lines: this.#execution(text(data.executionId), status, executionText(execution)) };
  }

  /** A frame may repeat what a snapshot has told; there is no way out of a terminal status. */
  #execution(executionId: string, status: string, line: string): string[] {
    if (TERMINAL.has(this.#told.get(executionId) ?? '')) return [];
    return this.#once(executionId, status, [line]);
  }

  #gate(runId: string, at: JsonValue | undefined, gate: Gate): Told {
    const lines = [`gate ${gate.gate} waits`, ...gateLines(this.#again, runId, gate)];
    return { at, lines: this.#once(gate.gateId, 'open', lines) };
  }

  #once(subject: string, state: string, lines: string[]): string[] {
    if (this.#told.get(subject) === state) return [];
    this.#told.set(subject, state);
    return lines;
  }
}

/** What has no time comes last, and otherwise in the order that it was given. */
function byTime(a: Told, b: Told): number {
  const [first, second] = [text(a.at), text(b.at)];
  if (first === second) return 0;
  if (first === '' || second === '') return first === '' ? 1 : -1;
  return first < second ? -1 : 1;
}

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
  const where = stateText(data.value);
  return `run is ${text(data.status)}${where ? ` in ${where}` : ''}${endReason(data as unknown as RunView)}`;
}

const text = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

/** A record's own time, as this machine's clock says it; blank where there is none. */
function clockText(at: JsonValue | undefined): string {
  const date = new Date(text(at));
  return Number.isNaN(date.getTime()) ? ' '.repeat('hh:mm:ss'.length) : date.toTimeString().slice(0, 8);
}
