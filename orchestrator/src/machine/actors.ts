/** Runs the author's actor logic outside of the pure Machine: after the commit, at least once, its results come back as events. */
import { type AnyActorLogic, createActor, createMachine, type Snapshot as XStateSnapshot } from 'xstate';
import { withEffects } from './attempt.ts';
import { logicOf } from './hosted.ts';
import { jsonCopy } from './json.ts';
import type { MachineEvent, RunActorOptions, RunningActor, StartAction, Workflow } from './port.ts';

type Startable = Pick<StartAction, 'id' | 'src' | 'input' | 'syncSnapshot'>;

/** A parent that only hears: it is there because callbacks and children speak to their parent. */
const listener = createMachine({});

export function runActor(workflow: Workflow, start: Startable, options: RunActorOptions): RunningActor {
  const logic = logicOf(workflow.authored, start.src);
  if (!logic)
    return {
      result: Promise.reject(new Error(`'${start.src}' is not among the actors of '${workflow.name}'`)),
      send: () => {},
    };
  return withEffects(options, () => running(logic, start, options));
}

function running(logic: AnyActorLogic, start: Startable, { signal, key, onEvent }: RunActorOptions): RunningActor {
  const parent = createActor(listener);
  const own = new Set([`xstate.done.actor.${start.id}`, `xstate.error.actor.${start.id}`]);
  const heard = parent as unknown as { _send(event: MachineEvent): void };
  heard._send = (event) => {
    if (!own.has(event.type) && !signal.aborted) onEvent(event);
  };
  const actor = createActor(logic, { id: start.id, input: start.input, parent } as never);
  const result = new Promise<unknown>((resolve, reject) => {
    // An actor that has ended before it was started (its input or initial state threw) reports nothing to observers.
    const settle = (snapshot: XStateSnapshot<unknown>) => {
      if (snapshot.status === 'done') resolve(snapshot.output);
      if (snapshot.status === 'error') reject(snapshot.error);
    };
    actor.subscribe({
      next: (snapshot: XStateSnapshot<unknown>) => {
        if (start.syncSnapshot && snapshot.status === 'active') onEvent(snapshotEvent(start.id, snapshot));
        settle(snapshot);
      },
      error: reject,
      complete: () => settle(actor.getSnapshot() as XStateSnapshot<unknown>),
    });
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener(
      'abort',
      () => {
        (actor as unknown as { _stop(): void })._stop();
        reject(signal.reason);
      },
      { once: true },
    );
  });
  if (!signal.aborted) actor.start();
  const send = (event: MachineEvent) => {
    if (!signal.aborted && actor.getSnapshot().status === 'active')
      withEffects({ key }, () => actor.send(event as never));
  };
  return { result, send };
}

function snapshotEvent(id: string, snapshot: XStateSnapshot<unknown>): MachineEvent {
  const { status, value, context, output } = snapshot as unknown as Record<string, unknown>;
  return { type: `xstate.snapshot.${id}`, snapshot: jsonCopy({ status, value, context, output }) };
}
