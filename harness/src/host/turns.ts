/** Runs turns: takes the effects of conversations, gives slots, and brings back how each turn ended. */
import { setMaxListeners } from 'node:events';
import type { Logger } from '@turnwire/server';
import type { Settlement, Submission } from '../conversation/state.ts';
import type { ConversationEffect } from '../conversation/step.ts';
import type { Engine } from '../engine/port.ts';
import { FORCED_END_MS } from '../limits.ts';
import type { AgentSurface, RunTurn, TurnClock, TurnEnd, TurnInput, TurnPorts, TurnRecord } from '../turn/port.ts';
import type { Conversation } from './conversation.ts';
import { Slots } from './slots.ts';

export interface TurnsOptions {
  readonly concurrency: number;
  readonly runTurn: RunTurn;
  /** The way to the Orchestrator. */
  readonly surface: AgentSurface;
  readonly engine: Engine;
  readonly clock: TurnClock;
  readonly newId: (prefix: string) => string;
  readonly log: Logger;
  readonly settled: (conversation: Conversation, submission: Submission, settlement: Settlement) => void;
}

/** A turn at work. */
class ActiveTurn {
  readonly cancel = new AbortController();
  /** It holds one of the slots. */
  holding: boolean;
  waiting: boolean;
  /** Nobody listens to it any more: it was suspended, or ended without it. */
  over = false;
  forced: NodeJS.Timeout | undefined;

  constructor(
    readonly conversation: Conversation,
    readonly submissionId: string,
    resumed: boolean,
  ) {
    this.holding = !resumed;
    this.waiting = resumed;
  }
}

const FORCED: Settlement = {
  outcome: 'aborted',
  error: { code: 'aborted', message: 'It was aborted on request, and its turn did not end in time.' },
};
const ABORTED: Settlement = { outcome: 'aborted', error: { code: 'aborted', message: 'It was aborted on request.' } };
const DEFECT: Settlement = {
  outcome: 'failed',
  error: { code: 'engine_failed', message: 'The turn failed unexpectedly; the log of the Harness says more.' },
};

export class Turns {
  readonly #active = new Map<Conversation, ActiveTurn>();
  /** Submissions that wait for a slot. */
  #offered = 0;
  readonly #slots: Slots;
  readonly #suspend = new AbortController();
  #idle: (() => void)[] = [];

  constructor(readonly options: TurnsOptions) {
    this.#slots = new Slots(options.concurrency);
    // Every turn at work listens to it.
    setMaxListeners(0, this.#suspend.signal);
  }

  readonly perform = (conversation: Conversation, effect: ConversationEffect): void => {
    if (effect.kind === 'ready') void this.#offer(conversation, effect.submissionId);
    else if (effect.kind === 'run') void this.#run(new ActiveTurn(conversation, effect.submissionId, false));
    else if (effect.kind === 'resume') void this.#run(new ActiveTurn(conversation, effect.submissionId, true));
    else if (effect.kind === 'cancel') this.#cancel(conversation, effect.submissionId);
    else this.options.settled(conversation, effect.submission, effect.settlement);
  };

  get running(): number {
    return [...this.#active.values()].filter(({ holding }) => holding).length;
  }

  get waiting(): number {
    return [...this.#active.values()].filter(({ waiting }) => waiting).length;
  }

  get queued(): number {
    return this.#offered;
  }

  /** Conversations with a turn that is at work. */
  get conversations(): Conversation[] {
    return [...this.#active.keys()];
  }

  /** Turns that only wait for a delivery stay on disk from now on, and no longer count as work (TW-DRN-003). */
  suspendWaiting(): void {
    this.#suspend.abort();
  }

  /** Resolves when no turn is at work and none waits for a slot. */
  async idle(): Promise<void> {
    while (this.#active.size + this.#offered > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** Ends every turn without waiting for it; what they say after that is not heard (TW-DRN-005). */
  endAll(): void {
    for (const turn of [...this.#active.values()]) this.#force(turn);
  }

  async #offer(conversation: Conversation, submissionId: string): Promise<void> {
    this.#offered++;
    await this.#slots.take();
    const { effects, committed } = conversation.apply({ type: 'start', at: this.#now(), submissionId });
    const starts = effects.some(({ kind }) => kind === 'run');
    if (starts) await committed;
    else this.#slots.give();
    this.#offered--;
    this.#wakeIdle();
  }

  async #run(turn: ActiveTurn): Promise<void> {
    const { conversation, submissionId } = turn;
    const submission = conversation.state.live.find((live) => live.submissionId === submissionId);
    const input = submission && turnInput(conversation, submission, turn.waiting);
    if (!input) {
      if (turn.holding) this.#slots.give();
      return;
    }
    this.#active.set(conversation, turn);
    const end = await this.#outcome(input, turn);
    if (turn.over) return;
    if (end.outcome !== 'suspended') this.#end(turn, end, end.records);
    else this.#leave(turn);
  }

  async #outcome(input: TurnInput, turn: ActiveTurn): Promise<TurnEnd> {
    try {
      return await this.options.runTurn(input, this.#ports(turn));
    } catch (error) {
      this.options.log.error({ err: error, submissionId: turn.submissionId }, 'a turn failed unexpectedly');
      return { ...DEFECT, records: [] } as TurnEnd;
    }
  }

  #ports(turn: ActiveTurn): TurnPorts {
    const { surface, engine, clock, newId } = this.options;
    return {
      surface,
      engine,
      clock,
      newId,
      signal: turn.cancel.signal,
      suspend: this.#suspend.signal,
      save: (records) => this.#save(turn, records),
      onWaiting: (deliveryId) => this.#waiting(turn, deliveryId),
    };
  }

  async #save(turn: ActiveTurn, records: readonly TurnRecord[]): Promise<void> {
    if (turn.over || records.length === 0) return;
    const { conversation, submissionId } = turn;
    await conversation.apply({ type: 'save', at: this.#now(), submissionId, records }).committed;
  }

  async #waiting(turn: ActiveTurn, deliveryId: string | null): Promise<void> {
    turn.waiting = deliveryId !== null;
    if (turn.over || turn.waiting !== turn.holding) return;
    if (turn.waiting) {
      turn.holding = false;
      this.#slots.give();
      return;
    }
    await this.#slots.take(true);
    if (turn.over) this.#slots.give();
    else turn.holding = true;
  }

  #end(turn: ActiveTurn, settlement: Settlement, records: readonly TurnRecord[]): void {
    const { conversation, submissionId } = turn;
    const { outcome, error } = settlement;
    const end = { type: 'end', at: this.#now(), submissionId, records, outcome } as const;
    const { committed } = conversation.apply(error === undefined ? end : { ...end, error });
    // The next Submission of this conversation starts after the commit; until then this turn counts as work.
    void committed.then(() => this.#leave(turn));
    turn.over = true;
  }

  #leave(turn: ActiveTurn): void {
    turn.over = true;
    clearTimeout(turn.forced);
    if (this.#active.get(turn.conversation) === turn) this.#active.delete(turn.conversation);
    if (turn.holding) this.#slots.give();
    turn.holding = false;
    this.#wakeIdle();
  }

  #cancel(conversation: Conversation, submissionId: string): void {
    const turn = this.#active.get(conversation);
    if (turn?.submissionId !== submissionId) {
      // It was suspended: there is no turn that could end itself.
      conversation.apply({ type: 'end', at: this.#now(), submissionId, records: [], ...ABORTED });
      return;
    }
    turn.cancel.abort();
    turn.forced = setTimeout(() => this.#force(turn), FORCED_END_MS);
  }

  #force(turn: ActiveTurn): void {
    if (turn.over) return;
    turn.cancel.abort();
    this.#end(turn, FORCED, []);
  }

  #wakeIdle(): void {
    const waiting = this.#idle;
    this.#idle = [];
    for (const resolve of waiting) resolve();
  }

  #now(): number {
    return this.options.clock.now();
  }
}

function turnInput(conversation: Conversation, submission: Submission, resumed: boolean): TurnInput | undefined {
  const { state } = conversation;
  const { prompt, pick, submissionId, turnId } = submission;
  if (!prompt) return undefined;
  return {
    submissionId,
    ...(turnId === undefined ? {} : { turnId }),
    agentName: prompt.agentName,
    iid: state.iid,
    definition: prompt.definition,
    message: prompt.message,
    notices: prompt.notices,
    history: state.messages,
    ...(state.menu ? { menu: state.menu } : {}),
    ...(resumed && pick ? { resume: pick } : {}),
    ...(prompt.traceparent === undefined ? {} : { traceparent: prompt.traceparent }),
  };
}
