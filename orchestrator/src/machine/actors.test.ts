import { describe, expect, it } from 'vitest';
import {
  assign,
  fromCallback,
  fromEventObservable,
  fromObservable,
  fromPromise,
  sendParent,
  setup as xstateSetup,
} from 'xstate';
import { attemptKey } from '../index.ts';
import { machines } from './index.ts';
import type { MachineEvent, RunActorOptions } from './port.ts';
import { setup } from './setup.ts';
import { hosting, note } from './under-test.ts';

const child = xstateSetup({
  types: {} as { context: { n: number }; input: { n: number }; output: number },
}).createMachine({
  context: ({ input }) => ({ n: input.n }),
  initial: 'waiting',
  states: {
    waiting: {
      on: {
        add: {
          target: 'done',
          actions: [assign({ n: ({ context }) => context.n + 1 }), sendParent({ type: 'note', input: {} })],
        },
      },
    },
    done: { type: 'final' },
  },
  output: ({ context }) => context.n,
});

const of = <T>(...values: T[]) => ({
  subscribe: (observer: { next?(value: T): void; complete?(): void }) => {
    for (const value of values) observer.next?.(value);
    observer.complete?.();
    return { unsubscribe: () => {} };
  },
});

const stopped: string[] = [];
const actors = {
  keyed: fromPromise(async ({ input }: { input: number }) => [
    attemptKey(),
    await Promise.resolve().then(attemptKey),
    input,
  ]),
  failing: fromPromise(async () => {
    throw new Error('no disk');
  }),
  aborted: fromPromise(
    ({ signal }) => new Promise<void>(() => signal.addEventListener('abort', () => stopped.push('aborted'))),
  ),
  bell: fromCallback(({ sendBack, receive }) => {
    receive((event) => sendBack({ type: 'note', input: { heard: event.type } }));
    sendBack({ type: 'note', input: { rang: attemptKey() } });
    return () => stopped.push('bell');
  }),
  throwing: fromCallback(() => {
    throw new Error('at once');
  }),
  child,
  numbers: fromObservable(() => of(1, 2) as never),
  notes: fromEventObservable(() => of({ type: 'note', input: { n: 1 } }) as never),
};
const machine = setup({ events: [note], actors: actors as never }).createMachine({
  initial: 'a',
  states: { a: { invoke: { src: fromPromise(async () => 'inline') } } },
} as never);
const workflow = hosting(machine);

function started(src: string, more: Partial<RunActorOptions> & { input?: unknown; syncSnapshot?: boolean } = {}) {
  const events: MachineEvent[] = [];
  const controller = new AbortController();
  const { input, syncSnapshot = false, ...options } = more;
  const running = machines.runActor(
    workflow,
    { id: 'it', src, input, syncSnapshot },
    { signal: controller.signal, key: 'run-1/5', onEvent: (event) => events.push(event), ...options },
  );
  return { ...running, events, controller };
}

describe('an author`s actor, run by the host', () => {
  it('that is a promise gives its output, and reads its key wherever it is', async () => {
    await expect(started('keyed', { input: 4 }).result).resolves.toEqual(['run-1/5', 'run-1/5', 4]);
  });

  it('that fails gives its error', async () => {
    await expect(started('failing').result).rejects.toThrow('no disk');
    await expect(started('throwing').result).rejects.toThrow('at once');
    await expect(started('nobody').result).rejects.toThrow("'nobody' is not among the actors");
  });

  it('that is a callback speaks and hears until it is stopped', async () => {
    const { events, send, controller, result } = started('bell');
    send({ type: 'ring' });
    expect(events).toEqual([
      { type: 'note', input: { rang: 'run-1/5' } },
      { type: 'note', input: { heard: 'ring' } },
    ]);
    controller.abort(new Error('left'));
    await expect(result).rejects.toThrow('left');
    expect(stopped).toContain('bell');
    send({ type: 'ring' });
    expect(events).toHaveLength(2);
  });

  it('that is a promise hears of its stop', async () => {
    const { controller, result } = started('aborted');
    controller.abort(new Error('left'));
    await expect(result).rejects.toThrow('left');
    expect(stopped).toContain('aborted');
    const already = AbortSignal.abort(new Error('before'));
    await expect(started('aborted', { signal: already }).result).rejects.toThrow('before');
  });

  it('that is a machine takes events, sends its own, shows its states, and ends with its output', async () => {
    const { send, result, events } = started('child', { input: { n: 1 }, syncSnapshot: true });
    send({ type: 'add' });
    await expect(result).resolves.toBe(2);
    expect(events).toEqual([
      { type: 'xstate.snapshot.it', snapshot: { status: 'active', value: 'waiting', context: { n: 1 } } },
      { type: 'note', input: {} },
    ]);
  });

  it('that is an observable ends when it completes', async () => {
    await expect(started('numbers').result).resolves.toBeUndefined();
    const notes = started('notes');
    await notes.result;
    expect(notes.events).toEqual([{ type: 'note', input: { n: 1 } }]);
  });

  it('that is inline is found by the name XState gives it', async () => {
    const [inline] = machines.invocations(workflow, machines.begin(workflow, {}).snapshot);
    expect(inline).toMatchObject({ actor: 'actor', src: 'xstate.invoke.0.(machine).a' });
    await expect(started((inline as { src: string }).src).result).resolves.toBe('inline');
  });
});
