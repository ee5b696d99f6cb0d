/**
 * The conversation as a pure step: what happened in, the records that are owed to the log and the effects that follow
 * their commit out. Time and ids are part of the event.
 */
import { FENCE_KEEP_MS, MAX_WAITING } from '../limits.ts';
import type { TurnRecord } from '../turn/port.ts';
import { evolve, evolveAll } from './evolve.ts';
import type { ConversationState, LogRecord, Prompt, Settlement, Stamp, Submission } from './state.ts';

/** `at` is milliseconds since the epoch. */
export type ConversationEvent = { readonly at: number } & (
  | ({
      readonly type: 'admit';
      readonly submissionId: string;
      readonly turnId?: string;
      readonly key?: string;
      readonly digest: string;
    } & Prompt)
  /** A slot was found for the first Submission. */
  | { readonly type: 'start'; readonly submissionId: string }
  /** The running turn wants these kept. */
  | { readonly type: 'save'; readonly submissionId: string; readonly records: readonly TurnRecord[] }
  /** The turn is over. */
  | ({ readonly type: 'end'; readonly submissionId: string; readonly records: readonly TurnRecord[] } & Settlement)
  | { readonly type: 'abort'; readonly submissionId?: string; readonly turnId?: string }
  /** The process before this one is gone, however it went. */
  | { readonly type: 'restart' }
);

/** What to do once the records are on disk, in this order. */
export type ConversationEffect =
  /** The first Submission may run as soon as there is a slot. */
  | { readonly kind: 'ready'; readonly submissionId: string }
  /** Run its turn: `submission.started` is on disk. */
  | { readonly kind: 'run'; readonly submissionId: string }
  /** Go on waiting for a delivery that the process before this one was told is outstanding. */
  | { readonly kind: 'resume'; readonly submissionId: string }
  /** End the turn that is running or waiting. */
  | { readonly kind: 'cancel'; readonly submissionId: string }
  | { readonly kind: 'settled'; readonly submission: Submission; readonly settlement: Settlement };

export interface Step {
  readonly state: ConversationState;
  readonly records: readonly LogRecord[];
  readonly effects: readonly ConversationEffect[];
}

/** What an admission is answered, decided before it becomes an event. */
export type AdmissionVerdict =
  | { readonly verdict: 'new' }
  | { readonly verdict: 'replayed'; readonly submissionId: string }
  | { readonly verdict: 'mismatch' }
  | { readonly verdict: 'full' };

/** Looks an admission's key up, then for room (TW-GEN-018, TW-GEN-019, TW-ADM-010). */
export function judgeAdmission(state: ConversationState, key: string | undefined, digest: string): AdmissionVerdict {
  const known = key === undefined ? undefined : state.keys.get(key);
  if (known) {
    return known.digest === digest
      ? { verdict: 'replayed', submissionId: known.submissionId }
      : { verdict: 'mismatch' };
  }
  // The first live one runs or is the next to run; it is not counted.
  return state.live.length > MAX_WAITING ? { verdict: 'full' } : { verdict: 'new' };
}

/** One step. An event that comes too late (for a settled Submission, say) changes nothing and owes nothing. */
export function step(state: ConversationState, event: ConversationEvent): Step {
  const draft = new Draft(state, event.at);
  switch (event.type) {
    case 'admit':
      admit(draft, event);
      break;
    case 'start':
      start(draft, event.submissionId);
      break;
    case 'save':
      if (draft.running(event.submissionId)) draft.keep(event.submissionId, event.records);
      break;
    case 'end':
      end(draft, event);
      break;
    case 'abort':
      abort(draft, event);
      break;
    case 'restart':
      restart(draft);
      break;
  }
  return { state: draft.state, records: draft.records, effects: draft.effects };
}

type Of<T extends ConversationEvent['type']> = Extract<ConversationEvent, { type: T }>;

const ABORTED: Settlement = { outcome: 'aborted', error: { code: 'aborted', message: 'It was aborted on request.' } };
const RESTARTED: Settlement = {
  outcome: 'failed',
  error: { code: 'harness_restarted', message: 'The Harness was restarted while this turn was at work.' },
};

/** Collects what a step owes while keeping the state in line with it. */
class Draft {
  readonly records: LogRecord[] = [];
  readonly effects: ConversationEffect[] = [];

  constructor(
    public state: ConversationState,
    readonly at: number,
  ) {}

  get head(): Submission | undefined {
    return this.state.live[0];
  }

  get time(): string {
    return new Date(this.at).toISOString();
  }

  /** The first Submission, when it is this one and its turn has begun. */
  running(submissionId: string): boolean {
    return this.head?.submissionId === submissionId && this.head.state !== 'queued';
  }

  stamp({ submissionId, turnId }: { submissionId: string; turnId?: string }): Stamp {
    return { submissionId, ...(turnId === undefined ? {} : { turnId }), at: this.time };
  }

  add(record: LogRecord): void {
    this.records.push(record);
    this.state = evolve(this.state, record);
  }

  /** Keeps what a turn saved, in its order. */
  keep(submissionId: string, records: readonly TurnRecord[]): void {
    const head = this.head;
    if (!head) return;
    const stamped = records.map((record): LogRecord => {
      if (record.type === 'private.menu') return record;
      if (record.type === 'private.pick') return { ...record, submissionId };
      return { ...this.stamp(head), ...record };
    });
    this.records.push(...stamped);
    this.state = evolveAll(this.state, stamped);
  }

  settle(submission: Submission, settlement: Settlement): void {
    this.add({ type: 'submission.settled', ...this.stamp(submission), ...settlement });
    this.effects.push({ kind: 'settled', submission, settlement });
  }

  /** Settles what was aborted before it ran, in admission order, and offers the first that may run (TW-ABT-009). */
  advance(): void {
    while (this.head?.state === 'queued' && this.head.aborting) this.settle(this.head, ABORTED);
    if (this.head?.state === 'queued') this.effects.push({ kind: 'ready', submissionId: this.head.submissionId });
  }
}

function admit(draft: Draft, event: Of<'admit'>): void {
  const { type: _type, at: _at, submissionId, turnId, ...rest } = event;
  const stamp = draft.stamp(event);
  // Read before the record is applied: that drops what has expired.
  const fenced = draft.state.fences.some((fence) => fence.turnId === turnId && fence.until > draft.at);
  draft.add({ type: 'private.admitted', ...stamp, ...rest });
  draft.add({ type: 'submission.queued', ...stamp });
  const admitted = draft.state.live.at(-1);
  if (!admitted) return;
  // Its turn was aborted before it came (TW-ABT-003): it never takes a place in the queue.
  if (fenced) draft.settle(admitted, ABORTED);
  else if (draft.head === admitted) draft.advance();
}

function start(draft: Draft, submissionId: string): void {
  const { head } = draft;
  if (head?.submissionId !== submissionId || head.state !== 'queued') return;
  draft.add({ type: 'submission.started', ...draft.stamp(head) });
  draft.effects.push({ kind: 'run', submissionId });
}

function end(draft: Draft, event: Of<'end'>): void {
  const { head } = draft;
  if (!head || !draft.running(event.submissionId)) return;
  draft.keep(event.submissionId, event.records);
  // An aborted or failed one always says why (TW-STR-036).
  const error = event.error ?? (event.outcome === 'aborted' ? ABORTED.error : undefined);
  draft.settle(head, { outcome: event.outcome, ...(error === undefined ? {} : { error }) });
  draft.advance();
}

function abort(draft: Draft, event: Of<'abort'>): void {
  const targets = abortTargets(draft.state, event).filter(({ aborting }) => !aborting);
  const remember = toRemember(draft, event);
  if (targets.length === 0 && !remember) return;
  const head = targets[0] === draft.head ? draft.head : undefined;
  draft.add({
    type: 'private.abort',
    at: draft.time,
    targets: targets.map(({ submissionId }) => submissionId),
    ...(remember ? { remember } : {}),
  });
  if (!head) return;
  if (head.state !== 'queued') draft.effects.push({ kind: 'cancel', submissionId: head.submissionId });
  else draft.advance();
}

/** Without a fence everything live; with one, that Submission and those before it (TW-ABT-001, TW-ABT-002). */
export function abortTargets(
  { live }: ConversationState,
  fence: { readonly submissionId?: string; readonly turnId?: string },
): readonly Submission[] {
  if (fence.submissionId === undefined && fence.turnId === undefined) return live;
  let last = live.findIndex(({ submissionId }) => submissionId === fence.submissionId);
  if (fence.submissionId === undefined) last = live.findLastIndex(({ turnId }) => turnId === fence.turnId);
  return live.slice(0, last + 1);
}

/** A turn with nothing live is one whose admission may still be on its way (TW-ABT-003). */
function toRemember(draft: Draft, { submissionId, turnId }: Of<'abort'>) {
  if (turnId === undefined || submissionId !== undefined) return undefined;
  if (draft.state.live.some((submission) => submission.turnId === turnId)) return undefined;
  return { turnId, until: draft.at + FENCE_KEEP_MS };
}

/** TW-DUR-003, TW-DUR-004, TW-DUR-005. */
function restart(draft: Draft): void {
  const { head } = draft;
  if (head && head.state !== 'queued') {
    if (head.aborting) draft.settle(head, ABORTED);
    else if (head.state === 'waiting' && head.pick) {
      draft.effects.push({ kind: 'resume', submissionId: head.submissionId });
      return;
    } else draft.settle(head, RESTARTED);
  }
  draft.advance();
}
