/** Authors' own actors and actions: run after the commit, at least once, each with a key that is the same at every attempt. */
import type { CustomAction, MachineAction, MachineEvent, StepResult } from '../run/machines.ts';
import type { Effect } from '../run/owed.ts';
import type { Act } from '../run/state.ts';
import type { ShellPorts } from './effects.ts';
import { report } from './report.ts';

type ActorEffect = Extract<Effect, { kind: 'actor' }>;

/** One start of an actor in this process, and the last letter that it had. */
interface Running {
  actor: ReturnType<ShellPorts['machines']['runActor']>;
  had: number;
}

export class ActorShell {
  readonly #ports: ShellPorts;
  /** By the key of the start. */
  readonly #running = new Map<string, Running>();

  constructor(ports: ShellPorts) {
    this.#ports = ports;
  }

  /** After each commit: what running actors were sent by it. */
  deliver(): void {
    for (const key of this.#running.keys()) this.#hand(key);
  }

  #hand(key: string): void {
    const running = this.#running.get(key);
    if (!running) return;
    for (const { n, event } of this.#ports.mail(key)) {
      if (n <= running.had) continue;
      running.had = n;
      running.actor.send(structuredClone(event) as MachineEvent);
    }
  }

  async run({ actorId, key }: ActorEffect, signal: AbortSignal): Promise<void> {
    const { machines } = this.#ports;
    const workflow = this.#ports.workflow();
    const found = machines.invocations(workflow, this.#ports.snapshot()).find((one) => one.invokeId === actorId);
    if (!found) return;
    const { src, input, syncSnapshot } = found;
    // One after the other: what it says is taken in the order in which it said it, and its end last.
    let said: Promise<unknown> = Promise.resolve();
    const say = (event: MachineEvent, last: boolean) => {
      const saying = said.then(() => report(this.#ports, { type: 'actor', id: actorId, key, event, last }, signal));
      said = saying.catch((error: unknown) =>
        this.#ports.log('an event of an actor was not taken', { actor: actorId, reason: String(error) }),
      );
      return saying;
    };
    const heard = (event: MachineEvent) => void say(event, false).catch(() => {});
    const actor = machines.runActor(
      workflow,
      { id: actorId, src, input, syncSnapshot },
      { signal, key, onEvent: heard },
    );
    this.#running.set(key, { actor, had: 0 });
    this.#hand(key);
    const end = await actor.result.then(
      (output) => machines.doneEvent(actorId, output),
      (error: unknown) => machines.errorEvent(actorId, error),
    );
    this.#running.delete(key);
    if (!signal.aborted) await say(end, true);
  }

  async act(id: string, signal: AbortSignal): Promise<void> {
    const owed = this.#ports.act(id);
    if (!owed) return;
    const sent: MachineEvent[] = [];
    const call = { send: (event: MachineEvent): void => void sent.push(event) };
    for (const [index, action] of this.#actionsOf(owed).entries()) this.#one(action, `${id}.${index}`, call);
    call.send = (event) => this.#sendLate(event);
    await report(this.#ports, { type: 'acted', act: id, sent }, signal);
  }

  /** From what an action left behind, a timer of its own say: nothing knows of it after a crash. */
  #sendLate(event: MachineEvent): void {
    report(this.#ports, { type: 'sent', event }).catch((error: unknown) =>
      this.#ports.log('an event of an action was not taken', { event: event.type, reason: String(error) }),
    );
  }

  #one(action: CustomAction, key: string, call: { send(event: MachineEvent): void }): void {
    const log = (...args: unknown[]) =>
      this.#ports.log('from an action of the workflow', { action: action.type, args });
    try {
      action.run({ key, send: (event) => call.send(event), log });
    } catch (error) {
      this.#ports.log('an action of the workflow threw', { action: action.type, reason: String(error) });
    }
  }

  /** Another process took the step: it is taken again from the state before it, for its actions alone. */
  #actionsOf(act: Act): readonly CustomAction[] {
    const here = this.#ports.actions(act.id);
    if (here) return here;
    const actions: readonly MachineAction[] = this.#again(act).actions;
    return actions.filter((action): action is CustomAction => action.kind === 'custom');
  }

  #again({ before, event }: Act): StepResult {
    const { machines } = this.#ports;
    const workflow = this.#ports.workflow();
    if (before === undefined) return machines.begin(workflow, event.input);
    return machines.advance(workflow, machines.restore(workflow, structuredClone(before)), event as MachineEvent);
  }
}
