import type { CannedAnswer, ConnectionStep, ListenerStep, RequestStep } from '../faults/script.ts';
import { fail } from '../shape.ts';
import type { ClientCase, Expectation, FurtherFault, Level, NamedFault, OurAnswer, SeatCall } from './case.ts';
import type { PeerSettings } from './peer/state.ts';
import type { CallOptions } from './protocol.ts';
import { paths } from './spec.ts';

/** `cases/client/faults.yaml`. */
export interface FaultFile {
  readonly faults: Readonly<Record<string, NamedFault>>;
  readonly groups: Readonly<Record<string, readonly string[]>>;
}

/** A case as it is written: one for each of its calls and faults. */
export interface WrittenCase {
  readonly id: string;
  readonly says: string;
  readonly requirements: readonly string[];
  readonly level?: Level;
  /** Of the file's calls; all of them when absent. */
  readonly calls?: readonly string[];
  /** Names or groups of faults; one case for each. None: one case without a fault. */
  readonly faults?: readonly string[];
  /** An answer of ours in place of a named fault. */
  readonly ours?: OurAnswer;
  /** The operation that meets the fault; the call's own when absent. */
  readonly at?: string;
  /** The how-manieth request of that operation meets it, 1 when absent. */
  readonly nth?: number | readonly [number, number];
  readonly further?: readonly FurtherFault[];
  readonly input?: Readonly<Record<string, unknown>>;
  readonly options?: CallOptions;
  readonly peer?: PeerSettings;
  readonly before?: number;
  readonly pauseMs?: number;
  readonly cancel?: ClientCase['cancel'];
  readonly address?: ClientCase['address'];
  readonly expect: Expectation;
}

export interface CaseFile {
  readonly theme: string;
  readonly calls: Readonly<Record<string, SeatCall>>;
  readonly peer?: PeerSettings;
  readonly cases: readonly WrittenCase[];
}

type Step = ListenerStep | ConnectionStep | RequestStep;

/** All cases of a file, in order. */
export function expand(file: CaseFile, faults: FaultFile): ClientCase[] {
  return file.cases.flatMap((written) => {
    const names = written.calls ?? Object.keys(file.calls);
    return names.flatMap((name) => {
      const call = file.calls[name] ?? fail(`${file.theme}/${written.id}`, `there is no call ${name}`);
      const several = Object.keys(file.calls).length > 1 ? [name] : [];
      const each = written.faults?.flatMap((fault) => faults.groups[fault] ?? [fault]) ?? [undefined];
      return each.map((fault) =>
        one(file, written, call, [...several, ...(fault === undefined ? [] : [fault])], fault, faults),
      );
    });
  });
}

function one(
  file: CaseFile,
  written: WrittenCase,
  call: SeatCall,
  suffix: readonly string[],
  fault: string | undefined,
  faults: FaultFile,
): ClientCase {
  const { says, requirements, level = 'must', before = 0, pauseMs = 0, cancel, address, expect } = written;
  const id = [file.theme, written.id, ...suffix].join('/');
  const known = (name: string) => faults.faults[name] ?? fail(id, `there is no fault ${name}`);
  const main = written.ours === undefined ? fault && known(fault) : { fault: 'answer' as const, ours: written.ours };
  const steps = [
    ...(main ? [stepOf(main, written.at ?? call.operation, written.nth ?? 1)] : []),
    ...(written.further ?? []).map((more) => stepOf(known(more.fault), more.at, more.nth)),
  ];
  const options = { ...usualOptions(call.options, steps), ...written.options };
  return {
    ...{ id, theme: file.theme, says, requirements, level, before, pauseMs, expect, steps },
    call: { ...call, input: without({ ...call.input, ...written.input }), options },
    peer: { ...file.peer, ...written.peer },
    ...(cancel && { cancel }),
    ...(address && { address }),
  };
}

/** Faults after which nothing comes: only the attempt's own timer ends it. */
const endless: ReadonlySet<string> = new Set(['silent', 'stall_body', 'full_queue']);

/** A short attempt is for those; with any other fault, or none, it would only be a bet on how fast a machine is. */
function usualOptions(options: CallOptions | undefined, steps: readonly Step[]): CallOptions {
  if (steps.length === 0) return {};
  const { attemptMs, ...rest } = options ?? {};
  return steps.some(({ fault }) => endless.has(fault))
    ? { ...rest, ...(attemptMs !== undefined && { attemptMs }) }
    : rest;
}

/** `null` takes a member of the call's own input away. */
function without(input: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
}

function stepOf(fault: NamedFault, operation: string, nth: RequestStep['nth']): Step {
  if (fault.on === 'listener') return fault;
  if (fault.on === 'connection') return { ...fault, nth: 1 };
  const { ours, answer, ...rest } = fault;
  const given = ours === undefined ? answer : cannedOf(ours);
  const match = patternOf(operation);
  return { ...rest, on: 'request', match, ...(nth !== undefined && { nth }), ...(given && { answer: given }) };
}

function patternOf(operation: string): string {
  const found =
    paths.find((each) => each.operation === operation) ?? fail(operation, 'is no operation of the documents');
  return `${found.method.toUpperCase()} ${found.path.replaceAll(/\{\w+\}/g, '*')}`;
}

/** Ours: with the version, and an error with its code, in the header and in the body. */
function cannedOf({ status, code, more, headers, body }: OurAnswer): CannedAnswer {
  const own = { 'turnwire-version': '1', 'turnwire-store': 'store-1' };
  if (code === undefined) return { status, headers: { ...own, ...headers }, ...(body === undefined ? {} : { body }) };
  const type = `urn:turnwire:problem:${code}`;
  const problem = { type, title: code, status, detail: `The kit says ${code}.`, code, ...more };
  const said = { 'content-type': 'application/problem+json', 'turnwire-code': code };
  return { status, headers: { ...own, ...said, ...headers }, body: body ?? problem };
}
