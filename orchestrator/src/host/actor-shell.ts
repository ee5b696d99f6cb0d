/** Authors' own actors and actions: run after the commit, at least once, each with a key that is the same at every attempt. */
import type { CustomAction, MachineAction, MachineEvent, StepResult } from '../run/machines.ts';
import type { Effect } from '../run/owed.ts';
import type { Act } from '../run/state.ts';
import type { ShellPorts } from './effects.ts';

type ActorEffect = Extract<Effect, { kind: 'actor' }>;
type Running = ReturnType<ShellPorts['machines']['runActor']>;

export class ActorShell {
  readonly #ports: ShellPorts;
  readonly #running = new Map<string, Running>();

  constructor(ports: ShellPorts) {
    this.#ports = ports;
  }

  /** For an actor that runs; one that has ended hears nothing. */
  send(to: string, event: MachineEvent): void {
    this.#running.get(to)?.send(event);
  }

  async run({ actorId, key }: ActorEffect, signal: AbortSignal): Promise<void> {
    const { machines, submit } = this.#ports;
    const workflow = this.#ports.workflow();
    const found = machines.invocations(workflow, this.#ports.snapshot()).find((one) => one.invokeId === actorId);
    if (!found) return;
    const { src, input, syncSnapshot } = found;
    const heard = (event: MachineEvent) =>
      submit({ type: 'actor', id: actorId, key, event, last: false }).catch((error: unknown) =>
        this.#ports.log('an event of an actor was not taken', { actor: actorId, reason: String(error) }),
      );
    const running = machines.runActor(
      workflow,
      { id: actorId, src, input, syncSnapshot },
      { signal, key, onEvent: (event) => void heard(event) },
    );
    this.#running.set(actorId, running);
    const end = await running.result.then(
      (output) => machines.doneEvent(actorId, output),
      (error: unknown) => machines.errorEvent(actorId, error),
    );
    if (this.#running.get(actorId) === running) this.#running.delete(actorId);
    if (!signal.aborted) await submit({ type: 'actor', id: actorId, key, event: end, last: true });
  }

  async act(id: string): Promise<void> {
    const { submit, act } = this.#ports;
    const owed = act(id);
    if (!owed) return;
    const sent: MachineEvent[] = [];
    for (const [index, action] of this.#actionsOf(owed).entries()) this.#one(action, `${id}.${index}`, sent);
    for (const event of sent) await submit({ type: 'sent', event });
    await submit({ type: 'acted', act: id });
  }

  #one(action: CustomAction, key: string, sent: MachineEvent[]): void {
    const log = (...args: unknown[]) =>
      this.#ports.log('from an action of the workflow', { action: action.type, args });
    try {
      action.run({ key, send: (event) => sent.push(event), log });
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
