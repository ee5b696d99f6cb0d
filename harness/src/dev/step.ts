/** What `turnwire-harness dev` does next: one serving process at a time, a new one after each save. */

export interface DevState {
  readonly child: 'none' | 'running' | 'stopping';
  readonly ending: boolean;
}

export type DevEvent =
  /** The agents file is another one than before. */
  | { readonly type: 'changed' }
  | { readonly type: 'exited'; readonly how: string; readonly ok: boolean }
  /** Somebody wants it to end: the first time, and once more. */
  | { readonly type: 'end' }
  | { readonly type: 'again' };

export type DevEffect =
  | { readonly kind: 'start' }
  /** Drains the child; `abort` is the signal after that, which ends its turns. */
  | { readonly kind: 'stop' }
  | { readonly kind: 'abort' }
  | { readonly kind: 'say'; readonly level: 'info' | 'error'; readonly text: string }
  | { readonly kind: 'exit'; readonly code: number };

export interface DevStep {
  readonly state: DevState;
  readonly effects: readonly DevEffect[];
}

export const begin: DevStep = { state: { child: 'running', ending: false }, effects: [{ kind: 'start' }] };

export function step(state: DevState, event: DevEvent): DevStep {
  switch (event.type) {
    case 'changed':
      return changed(state);
    case 'exited':
      return exited(state, event);
    case 'end':
      return end(state);
    case 'again':
      return { state, effects: state.child === 'none' ? [] : [{ kind: 'abort' }] };
  }
}

/** A child that is stopping anyway is followed by one that reads the newest file. */
function changed(state: DevState): DevStep {
  if (state.ending || state.child === 'stopping') return { state, effects: [] };
  if (state.child === 'none') return started(state, 'the agents file changed');
  const text = 'the agents file changed; the process restarts when its turns are over';
  return { state: { ...state, child: 'stopping' }, effects: [say('info', text), { kind: 'stop' }] };
}

function exited(state: DevState, { how, ok }: Extract<DevEvent, { type: 'exited' }>): DevStep {
  const over: DevState = { ...state, child: 'none' };
  if (state.ending) return { state: over, effects: [{ kind: 'exit', code: ok ? 0 : 1 }] };
  if (state.child === 'stopping') return started(over, 'restarting');
  return { state: over, effects: [say('error', `the process ended (${how}); it is started again at the next save`)] };
}

function end(state: DevState): DevStep {
  const ending: DevState = { ...state, ending: true };
  if (state.child === 'none') return { state: ending, effects: [{ kind: 'exit', code: 0 }] };
  if (state.child === 'stopping') return { state: ending, effects: [] };
  return { state: { ...ending, child: 'stopping' }, effects: [{ kind: 'stop' }] };
}

const started = (state: DevState, text: string): DevStep => ({
  state: { ...state, child: 'running' },
  effects: [say('info', text), { kind: 'start' }],
});

const say = (level: 'info' | 'error', text: string): DevEffect => ({ kind: 'say', level, text });
