/** A node that is alive: performs what the step says, one question at a time. */
import type { Logger } from '@turnwire/server';
import type { TurnClock } from '../turn/port.ts';
import type { Registration, Registry } from './port.ts';
import { emptyNode, type Lifecycle, type NodeEffect, type NodeEvent, type NodeState, step } from './step.ts';

export interface NodeOptions {
  readonly nodeId: string;
  readonly registration: Registration;
  readonly registry: Registry;
  /** What it would say of itself now. */
  readonly lifecycle: () => Lifecycle;
  readonly clock: Pick<TurnClock, 'sleep'>;
  readonly log: Logger;
}

export class NodeClient {
  #state: NodeState;
  #timer = new AbortController();
  readonly #ending = new AbortController();
  /** Who waits until the Orchestrator has heard something. */
  #waiting: (() => void)[] = [];
  #heard: Lifecycle | undefined;

  constructor(readonly options: NodeOptions) {
    this.#state = emptyNode(options.registration.deployment === 'resident');
  }

  begin(): void {
    this.#happened({ type: 'begin' });
  }

  /** Something has changed with it: it is said now, and not with the next heartbeat. */
  look(): void {
    this.#happened({ type: 'lifecycle', lifecycle: this.options.lifecycle() });
  }

  /** Resolves when the Orchestrator has heard this, or has nothing to hear it with, or after a while. */
  async heard(lifecycle: Lifecycle, withinMs: number): Promise<void> {
    const late = new AbortController();
    let over = false;
    void this.options.clock.sleep(withinMs, late.signal).then(() => {
      over = true;
      this.#wake();
    });
    while (!over && this.#heard !== lifecycle && this.#state.standing !== 'over') {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    late.abort();
  }

  /** Says nothing any more. */
  end(): void {
    this.#happened({ type: 'end' });
  }

  #happened(event: NodeEvent): void {
    const { state, effects } = step(this.#state, event);
    this.#state = state;
    for (const effect of effects) this.#perform(effect);
    this.#wake();
  }

  #perform(effect: NodeEffect): void {
    const { registration, registry, log, nodeId } = this.options;
    const { signal } = this.#ending;
    if (effect.kind !== 'say') this.#timer.abort();
    switch (effect.kind) {
      case 'register':
        void this.#ask(
          registry.register(registration, signal).then((answer) => {
            return answer.is === 'refused' ? { type: 'refused', ...answer } : { type: 'registered', ...answer };
          }),
        );
        break;
      case 'heartbeat': {
        const { lifecycle } = effect;
        void this.#ask(
          registry.heartbeat({ instanceId: registration.instanceId, lifecycle }, signal).then((answer) => {
            this.#heard = lifecycle;
            return { type: answer.is, ...answer } as NodeEvent;
          }),
        );
        break;
      }
      case 'wait':
        void this.#wait(effect.ms);
        break;
      case 'cancel':
        this.#ending.abort();
        break;
      case 'say':
        log[effect.level]({ nodeId, instanceId: registration.instanceId, baseUrl: registration.baseUrl }, effect.text);
    }
  }

  async #ask(question: Promise<NodeEvent>): Promise<void> {
    try {
      this.#happened(await question);
    } catch (error) {
      if (!this.#ending.signal.aborted) this.#happened({ type: 'refused', reason: (error as Error).message });
    }
  }

  async #wait(ms: number): Promise<void> {
    const timer = new AbortController();
    this.#timer = timer;
    await this.options.clock.sleep(ms, timer.signal);
    if (timer.signal.aborted || this.#ending.signal.aborted) return;
    this.look();
    this.#happened({ type: 'due' });
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
