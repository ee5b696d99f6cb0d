/** What a node does next to be known: registers, heartbeats, registers again, and says when it goes. */
import { REFUSED_AGAIN_MS } from '../limits.ts';

export type Lifecycle = 'starting' | 'ready' | 'degraded' | 'draining';

export interface NodeState {
  /**
   * `new` is not registered (any more); `replaced`: another process has registered as this node since; `refused`: the
   * Orchestrator does not take what it says of itself; `over`: it says nothing any more.
   */
  readonly standing: 'new' | 'registered' | 'replaced' | 'refused' | 'over';
  /** A serverless node is started by a request: it never heartbeats (TW-NOD-017). */
  readonly heartbeats: boolean;
  readonly lifecycle: Lifecycle;
  /** The question that is under way; there is one at a time, so that no older word overtakes a newer one. */
  readonly asking?: 'register' | Lifecycle;
  /** A heartbeat was taken since it registered. */
  readonly known: boolean;
  readonly heartbeatMs: number;
  /** Why it was refused last: said once, not at each try. */
  readonly reason?: string;
}

export type NodeEvent =
  | { readonly type: 'begin' }
  | { readonly type: 'lifecycle'; readonly lifecycle: Lifecycle }
  | { readonly type: 'registered'; readonly heartbeatSeconds: number }
  | { readonly type: 'taken' }
  | { readonly type: 'unknown_node' }
  /** `currentIsDown`: the process that took its place is held to be down. */
  | { readonly type: 'stale_instance'; readonly currentIsDown: boolean }
  | { readonly type: 'refused'; readonly reason: string }
  | { readonly type: 'due' }
  | { readonly type: 'end' };

export type NodeEffect =
  | { readonly kind: 'register' }
  | { readonly kind: 'heartbeat'; readonly lifecycle: Lifecycle }
  /** Replaces the timer before it. */
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'say'; readonly level: 'info' | 'warn' | 'error'; readonly text: string };

export interface NodeStep {
  readonly state: NodeState;
  readonly effects: readonly NodeEffect[];
}

export const emptyNode = (heartbeats: boolean): NodeState => ({
  standing: 'new',
  heartbeats,
  lifecycle: 'starting',
  known: false,
  heartbeatMs: 0,
});

export function step(state: NodeState, event: NodeEvent): NodeStep {
  if (state.standing === 'over') return { state, effects: [] };
  switch (event.type) {
    case 'begin':
      return register(state);
    case 'lifecycle':
      return changed(state, event.lifecycle);
    case 'registered':
      return registered(state, event.heartbeatSeconds * 1_000);
    case 'taken':
      return answered({ ...withoutReason(state), standing: 'registered', known: true });
    case 'unknown_node':
      return unknown(state);
    case 'stale_instance':
      return stale(state, event.currentIsDown);
    case 'refused':
      return refused(state, event.reason);
    case 'due':
      return due(state);
    case 'end':
      return { state: { ...idle(state), standing: 'over' }, effects: [{ kind: 'cancel' }] };
  }
}

const idle = ({ asking: _, ...state }: NodeState): NodeState => state;

const withoutReason = ({ reason: _, ...state }: NodeState): NodeState => state;

const register = (state: NodeState, ...before: NodeEffect[]): NodeStep => ({
  state: { ...state, standing: 'new', asking: 'register', known: false },
  effects: [...before, { kind: 'register' }],
});

const beat = (state: NodeState): NodeStep => ({
  state: { ...state, asking: state.lifecycle },
  effects: [{ kind: 'heartbeat', lifecycle: state.lifecycle }],
});

/** One that was not registered by the time it goes has nothing to take back. */
function changed(before: NodeState, lifecycle: Lifecycle): NodeStep {
  if (lifecycle === before.lifecycle) return { state: before, effects: [] };
  const state: NodeState = { ...before, lifecycle };
  const unheard = state.standing === 'new' || state.standing === 'refused' || !state.heartbeats;
  if (lifecycle === 'draining' && unheard) return step(state, { type: 'end' });
  if (state.asking !== undefined || unheard) return { state, effects: [] };
  return beat(state);
}

function registered(before: NodeState, heartbeatMs: number): NodeStep {
  const state = withoutReason(idle(before));
  const next: NodeState = { ...state, standing: 'registered', heartbeatMs };
  const said = say('info', 'registered');
  if (!state.heartbeats) return { state: next, effects: [said] };
  const first = beat(next);
  return { state: first.state, effects: [said, ...first.effects] };
}

/** Its newest word at once, else the next heartbeat in time (TW-NOD-022). */
function answered(before: NodeState): NodeStep {
  const state = idle(before);
  if (before.asking !== state.lifecycle) return beat(state);
  return { state, effects: [{ kind: 'wait', ms: state.heartbeatMs }] };
}

/** TW-NOD-007. One that was never heard since it registered waits: the two would go on as fast as they can. */
function unknown(state: NodeState): NodeStep {
  if (state.lifecycle === 'draining') return answered(state);
  if (state.known) return register(state, say('warn', 'the orchestrator does not know this node any more'));
  return { state: { ...idle(state), standing: 'new' }, effects: [{ kind: 'wait', ms: state.heartbeatMs }] };
}

/**
 * TW-NOD-008. It takes nothing back from a process that lives: two that both did would never end. Its own work goes on, and
 * it goes on asking: where the other one is down (an update that was undone), the place is free. One that drains expects
 * to be followed (TW-NOD-023).
 */
function stale(state: NodeState, currentIsDown: boolean): NodeStep {
  if (state.lifecycle === 'draining') return answered(state);
  if (currentIsDown) return register(state, say('warn', 'the process that took the place of this one is down'));
  const next = answered({ ...state, standing: 'replaced' });
  if (state.standing === 'replaced') return next;
  const text =
    'another process has registered as this node: new work goes there; end one of the two, or give it a name of its own';
  return { state: next.state, effects: [say('error', text), ...next.effects] };
}

function refused(state: NodeState, reason: string): NodeStep {
  const said = reason === state.reason ? [] : [say('error', `it is refused as a node: ${reason}`)];
  const registering = state.asking === 'register';
  const next: NodeState = { ...idle(state), reason, ...(registering && { standing: 'refused' as const }) };
  const ms = registering ? REFUSED_AGAIN_MS : state.heartbeatMs;
  return { state: next, effects: [...said, { kind: 'wait', ms }] };
}

function due(state: NodeState): NodeStep {
  if (state.asking !== undefined) return { state, effects: [] };
  return state.standing === 'registered' || state.standing === 'replaced' ? beat(state) : register(state);
}

const say = (level: 'info' | 'warn' | 'error', text: string): NodeEffect => ({ kind: 'say', level, text });
