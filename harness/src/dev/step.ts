/** What `turnwire-harness dev` does next: one serving process at a time, a new one after each save and after each crash. */
import { CRASH_PAUSES_MS } from '../limits.ts';

export interface DevState {
  /** `paused`: there is none, and one is started when the pause is over, or at a save before that. */
  readonly child: 'none' | 'paused' | 'running' | 'stopping';
  readonly ending: boolean;
  /** How often in a row it has died by itself. */
  readonly crashes: number;
}

export type DevEvent =
  /** The agents file is another one than before. */
  | { readonly type: 'changed' }
  /** `code` is null after a signal; `servedMs` is how long it has served, and absent when it never did. */
  | { readonly type: 'exited'; readonly how: string; readonly code: number | null; readonly servedMs?: number }
  | { readonly type: 'paused' }
  /** Somebody wants it to end: the first time, and once more. */
  | { readonly type: 'end' }
  | { readonly type: 'again' };

export type DevEffect =
  /** It makes a pause that runs void. */
  | { readonly kind: 'start' }
  | { readonly kind: 'pause'; readonly ms: number }
  /** Drains the child; `abort` is the signal after that, which ends its turns. */
  | { readonly kind: 'stop' }
  | { readonly kind: 'abort' }
  | { readonly kind: 'say'; readonly level: 'info' | 'error'; readonly text: string }
  | { readonly kind: 'exit'; readonly code: number };

export interface DevStep {
  readonly state: DevState;
  readonly effects: readonly DevEffect[];
}

export const begin: DevStep = {
  state: { child: 'running', ending: false, crashes: 0 },
  effects: [{ kind: 'start' }],
};

export function step(state: DevState, event: DevEvent): DevStep {
  switch (event.type) {
    case 'changed':
      return changed(state);
    case 'exited':
      return exited(state, event);
    case 'paused':
      return state.child === 'paused' && !state.ending ? started(state, 'restarting') : { state, effects: [] };
    case 'end':
      return end(state);
    case 'again':
      return { state, effects: hasChild(state) ? [{ kind: 'abort' }] : [] };
  }
}

/** A child that is stopping anyway is followed by one that reads the newest file. */
function changed(state: DevState): DevStep {
  if (state.ending || state.child === 'stopping') return { state, effects: [] };
  if (!hasChild(state)) return started({ ...state, crashes: 0 }, 'the agents file changed');
  const text = 'the agents file changed; the process restarts when its turns are over';
  return { state: { ...state, child: 'stopping' }, effects: [say('info', text), { kind: 'stop' }] };
}

function exited(state: DevState, event: Exited): DevStep {
  const { how, code, servedMs } = event;
  const over: DevState = { ...state, child: 'none' };
  if (state.ending) return { state: over, effects: [{ kind: 'exit', code: code === 0 ? 0 : 1 }] };
  if (state.child === 'stopping') return started({ ...over, crashes: 0 }, 'restarting');
  // It has said itself what is wrong with what it was started with: that is put right by a save.
  const refused = servedMs === undefined && code !== null;
  if (refused) {
    const text = `the process ended (${how}); it is started again at the next save`;
    return { state: over, effects: [say('error', text)] };
  }
  return crashed(over, event);
}

/** Nobody's file is to blame: the next one serves the same. */
function crashed(over: DevState, { how, servedMs = 0 }: Exited): DevStep {
  const crashes = servedMs >= LONGEST_PAUSE_MS ? 0 : over.crashes;
  const ms = CRASH_PAUSES_MS[crashes] ?? LONGEST_PAUSE_MS;
  const text = `the process ended by itself (${how}); it is started again in ${ms / 1_000} s`;
  return {
    state: { ...over, child: 'paused', crashes: crashes + 1 },
    effects: [say('error', text), { kind: 'pause', ms }],
  };
}

type Exited = Extract<DevEvent, { type: 'exited' }>;

const LONGEST_PAUSE_MS = Math.max(...CRASH_PAUSES_MS);

export const hasChild = ({ child }: DevState): boolean => child === 'running' || child === 'stopping';

function end(state: DevState): DevStep {
  const ending: DevState = { ...state, ending: true };
  if (!hasChild(state)) return { state: ending, effects: [{ kind: 'exit', code: 0 }] };
  if (state.child === 'stopping') return { state: ending, effects: [] };
  return { state: { ...ending, child: 'stopping' }, effects: [{ kind: 'stop' }] };
}

const started = (state: DevState, text: string): DevStep => ({
  state: { ...state, child: 'running' },
  effects: [say('info', text), { kind: 'start' }],
});

const say = (level: 'info' | 'error', text: string): DevEffect => ({ kind: 'say', level, text });
