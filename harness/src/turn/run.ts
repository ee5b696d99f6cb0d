/** The shell of the turn: it performs the effects of `step.ts` and turns what comes back into events. */
import { EngineFailure } from '../engine/port.ts';
import { Inbox } from './inbox.ts';
import type { RunTurn, TurnEnd, TurnInput, TurnPorts } from './port.ts';
import { openTurnSpan, type TurnSpan } from './span.ts';
import { Speech } from './speech.ts';
import { type Effect, initialState, type TurnEvent, type TurnState } from './state.ts';
import { step } from './step.ts';

/** Runs one Submission's turn to its end; see `port.ts`. */
export const runTurn: RunTurn = (input, ports) => new TurnShell(input, ports).run();

/** Nobody listens any more; a reason made once costs no stack at each turn. */
const OVER = new Error('the turn is over');

class TurnShell {
  readonly #input: TurnInput;
  readonly #ports: TurnPorts;
  readonly #inbox = new Inbox<TurnEvent>();
  readonly #speech: Speech;
  readonly #span: TurnSpan;
  /** Everything in flight ends with it: the read, the engine, the pick (after its lookup). */
  readonly #scope = new AbortController();
  /** The turn is over and its timers and listeners go. */
  readonly #over = new AbortController();
  /** An abort or the deadline came: whoever waits for a slot stops waiting. */
  readonly #stopped: Promise<void>;
  #stop: () => void = () => undefined;
  #state: TurnState;

  constructor(input: TurnInput, ports: TurnPorts) {
    this.#input = input;
    this.#ports = ports;
    this.#speech = new Speech(ports.clock, (records) => ports.save(records));
    this.#span = openTurnSpan(input);
    this.#state = initialState(input, ports.clock.now());
    this.#stopped = new Promise((resolve) => {
      this.#stop = resolve;
    });
  }

  async run(): Promise<TurnEnd> {
    try {
      const end = await this.#loop();
      this.#span.end(end);
      return end;
    } finally {
      this.#over.abort(OVER);
      this.#scope.abort(OVER);
      this.#speech.end();
    }
  }

  async #loop(): Promise<TurnEnd> {
    this.#listen();
    this.#inbox.put(() => ({ type: 'begin' }));
    for (;;) {
      const letter = await this.#inbox.next();
      const { newId, clock } = this.#ports;
      const stepped = step(this.#state, letter.event(), { now: clock.now(), newId });
      this.#state = stepped.state;
      for (const effect of stepped.effects) {
        if (effect.type === 'end') return { ...effect.ending, records: effect.records };
        await this.#perform(effect);
      }
      letter.done?.();
      if (this.#isSuspended()) return { outcome: 'suspended' };
    }
  }

  /** Before anything else: a turn that is already aborted asks nobody anything. */
  #listen(): void {
    const once = { once: true, signal: this.#over.signal };
    const abort = () => this.#halt(() => ({ type: 'aborted', ...this.#speech.soFar }));
    if (this.#ports.signal.aborted) abort();
    else this.#ports.signal.addEventListener('abort', abort, once);
    // Looked at after each event; this only wakes the loop.
    this.#ports.suspend?.addEventListener('abort', () => this.#inbox.put(() => ({ type: 'suspend' })), once);
    const { deadlineSeconds } = this.#input.definition.limits ?? {};
    if (deadlineSeconds !== undefined) void this.#watchDeadline(deadlineSeconds * 1000);
  }

  #halt(event: () => TurnEvent): void {
    this.#inbox.put(event);
    this.#stop();
  }

  async #watchDeadline(limitMs: number): Promise<void> {
    const left = this.#state.progress.startedAt + limitMs - this.#ports.clock.now();
    if (left > 0) await this.#ports.clock.sleep(left, this.#over.signal);
    if (!this.#over.signal.aborted) this.#halt(() => ({ type: 'deadline', ...this.#speech.soFar }));
  }

  #isSuspended(): boolean {
    const { phase, waiting, ending } = this.#state;
    return this.#ports.suspend?.aborted === true && phase === 'picking' && waiting && ending === undefined;
  }

  async #perform(effect: Exclude<Effect, { type: 'end' }>): Promise<void> {
    switch (effect.type) {
      case 'save':
        return this.#ports.save(effect.records);
      case 'waiting':
        await Promise.race([this.#ports.onWaiting(effect.deliveryId), this.#stopped]);
        return;
      case 'cancel':
        return this.#scope.abort();
      case 'read':
        return this.#inBackground(this.#read(effect));
      case 'ask':
        return this.#inBackground(this.#ask(effect.messageId));
      case 'deliver':
        return this.#inBackground(this.#deliver(effect));
    }
  }

  #inBackground(work: Promise<void>): void {
    work.catch((error: unknown) => this.#inbox.fail(error));
  }

  async #read(effect: Extract<Effect, { type: 'read' }>): Promise<void> {
    const { type: _, ...request } = effect;
    const { surface } = this.#ports;
    const asked = { iid: this.#input.iid, ...request };
    const read = await surface.read(asked, this.#scope.signal, this.#span.traceparent);
    this.#inbox.put(() => ({ type: 'surface', read }));
  }

  async #ask(messageId: string): Promise<void> {
    this.#speech.begin(messageId);
    try {
      const result = await this.#span.model(() => this.#ports.engine.step(this.#stepRequest()));
      this.#inbox.put(() => ({ type: 'answered', messageId: this.#speech.soFar.messageId, result }));
    } catch (error) {
      // Before the event is read: what it says must be what was heard, not what a late emit adds.
      const said = this.#speech.soFar;
      const message = error instanceof EngineFailure ? error.message : `the engine failed: ${String(error)}`;
      this.#inbox.put(() => ({ type: 'engine_failed', ...said, message }));
    } finally {
      this.#speech.end();
    }
  }

  #stepRequest(): Parameters<TurnPorts['engine']['step']>[0] {
    const { definition, history, menu } = this.#state;
    const { maxOutputTokens } = definition.limits ?? {};
    return {
      system: definition.instructions,
      history,
      tools: menu,
      model: definition.model,
      ...(definition.thinkingLevel !== undefined && { thinkingLevel: definition.thinkingLevel }),
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
      signal: this.#scope.signal,
      emit: (event) => {
        if (this.#scope.signal.aborted) return;
        if (event.type === 'text') this.#speech.say(event.text);
        else this.#speech.begin(this.#ports.newId('msg'));
      },
    };
  }

  async #deliver(effect: Extract<Effect, { type: 'deliver' }>): Promise<void> {
    const { pick, clientDeliveryIds, resume } = effect;
    const { deliveryId, turnId, event, input } = pick;
    const begun = this.#ports.clock.now();
    const onOutstanding = (id: string) => this.#inbox.deliver(() => ({ type: 'outstanding', deliveryId: id }));
    const request = {
      iid: this.#input.iid,
      turnId,
      deliveryId,
      event,
      input,
      clientDeliveryIds,
      resume,
      onOutstanding,
    };
    const { surface } = this.#ports;
    const result = await this.#span.pick(event, (traceparent) =>
      surface.deliver(request, this.#scope.signal, traceparent),
    );
    const ms = Math.max(0, Math.round(this.#ports.clock.now() - begun));
    this.#inbox.put(() => ({ type: 'picked', result, ms }));
  }
}
