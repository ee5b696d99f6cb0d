import type { Arrival } from '../faults/record.ts';
import type { CannedAnswer } from '../faults/script.ts';
import type { ClientCase } from './case.ts';
import { operationOf } from './peer/routes.ts';
import type { Effects } from './peer/state.ts';
import type { AdapterResult } from './protocol.ts';
import { protocol } from './spec.ts';

/** What one call did to the wire, and what the subject says of it. */
export interface Seen {
  readonly result: AdapterResult;
  /** Of this call, in order; of each a byte was read. */
  readonly arrivals: readonly Arrival[];
  /** Connections that earlier calls of the case used. */
  readonly usedBefore: ReadonlySet<number>;
  readonly effects: Readonly<Effects>;
  /** Milliseconds. */
  readonly took: number;
  readonly url: string;
  readonly token: string;
}

/** One way in which a subject is wrong. */
export interface Mismatch {
  /** What it did: goes on after "the subject …". */
  readonly did: string;
  /** What it should do: goes on after "it should …". */
  readonly should: string;
  /** Where the spec says so, when that is not what its case is about. */
  readonly requirement?: string;
  /** The kit did it, not the subject. */
  readonly whose?: 'kit';
  /** A request of the kit that was served: where the case wants it refused, that is the subject's fault alone. */
  readonly served?: true;
}

export const operationIn = (arrival: Arrival): string =>
  operationOf(arrival.method, arrival.target.split('?', 1)[0] ?? '')?.operation ?? 'no operation';

/** The copies of the call's own request. */
export const copiesOf = ({ arrivals }: Seen, { call }: ClientCase): Arrival[] =>
  arrivals.filter((arrival) => operationIn(arrival) === call.operation);

/** What an arrival was answered with in the peer's place. */
function cannedFor(arrival: Arrival, steps: ClientCase['steps']): CannedAnswer | undefined {
  const step = steps.find((each) => each.on === 'request' && each.name === arrival.step);
  return step?.on === 'request' ? step.answer : undefined;
}

/** The peer said 2xx, or what stands in its place did so in its name. */
export function wasTaken(arrival: Arrival, steps: ClientCase['steps']): boolean {
  const canned = cannedFor(arrival, steps);
  const ours = canned?.headers?.[protocol.headers.version ?? ''] === undefined ? 0 : canned.status;
  return [arrival.upstream ?? 0, ours].some((status) => status >= 200 && status < 300);
}

/** Answered with the Custodian's word that nothing went on: the bytes that were read are not the peer's. */
export function isCustodiansProof(arrival: Arrival, steps: ClientCase['steps']): boolean {
  const answer = cannedFor(arrival, steps);
  if (answer?.headers?.[protocol.headers.custodian ?? ''] !== protocol.custodian.mark) return false;
  const flags = (answer.body as { flags?: string[] } | undefined)?.flags ?? [];
  return flags.length > 0 && flags.every((flag) => protocol.custodian.provingFlags.includes(flag));
}
