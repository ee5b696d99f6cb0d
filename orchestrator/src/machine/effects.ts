/** What XState resolved in one step, as the host's data. */
import type { AnyActorRef } from 'xstate';
import { withEffects } from './attempt.ts';
import { childrenOf, isActive, startOf, stopOf } from './children.ts';
import { logicOf } from './hosted.ts';
import { unsaveable } from './json.ts';
import { markOf } from './markers.ts';
import type { ChildRef } from './nodes.ts';
import type { MachineAction, MachineEvent, Snapshot, StartAction, Workflow } from './port.ts';
import type { ResolvedAction, StepScope } from './scope.ts';

/** The author's Machine did what cannot be hosted: the run ends `error` with this reason. */
export class Unhostable extends Error {
  readonly path: string | undefined;
  constructor(reason: string, path?: string) {
    super(reason);
    this.path = path;
  }
}

export interface Effects {
  actions: MachineAction[];
  /** Events that the Machine sent to itself without delay: they belong to this step. */
  toSelf: MachineEvent[];
}

/** `before` and `after` tell an actor that outlives the step from one that started and stopped inside it. */
export function effectsOf(
  workflow: Workflow,
  scope: StepScope,
  before: Snapshot | undefined,
  after: Snapshot,
): Effects {
  const effects: Effects = { actions: [], toSelf: [] };
  const wasThere = new Set<unknown>(before ? childrenOf(before) : []);
  for (const record of scope.records) {
    if ('created' in record) started(workflow, after, record.created as ChildRef, effects);
    else resolved(workflow, scope, record.action, wasThere, effects);
  }
  return effects;
}

function started(workflow: Workflow, after: Snapshot, child: ChildRef, effects: Effects): void {
  if (typeof child.src !== 'string')
    throw new Unhostable('spawns an inline actor; name it under `actors` and spawn it by that name');
  if (after.children[child.id] !== child || after.status !== 'active') {
    if (/^x:\d+$/.test(child.id) && after.status === 'active') {
      throw new Unhostable(
        `spawns '${child.src}' without an id; give it one, so that it is the same actor after a restart`,
      );
    }
    return;
  }
  const start = startOf(workflow, after, child);
  checkStart(start);
  effects.actions.push(start);
}

function checkStart(start: StartAction): void {
  if (/^x:\d+$/.test(start.id)) {
    throw new Unhostable(
      `spawns '${start.src}' without an id; give it one, so that it is the same actor after a restart`,
    );
  }
  if (start.spawned && start.actor !== 'actor') {
    throw new Unhostable(
      `spawns the ${start.actor} '${start.src}'; an Agent or a gate runs by a state's \`invoke\` only`,
    );
  }
  const prompt = (start.input as { prompt?: unknown } | undefined)?.prompt;
  if (start.actor === 'agent' && (typeof prompt !== 'string' || prompt === '')) {
    throw new Unhostable(
      `state '${start.stateId}' invokes the Agent '${start.src}' without a prompt; its input is { prompt: string }`,
    );
  }
  saveable(start.input, `input of '${start.id}'`);
}

function resolved(
  workflow: Workflow,
  scope: StepScope,
  action: ResolvedAction,
  wasThere: Set<unknown>,
  effects: Effects,
): void {
  const params = action.params as Record<string, unknown> & { event: MachineEvent };
  switch (action.type) {
    case 'xstate.spawnChild':
      if (params.actorRef === undefined)
        throw new Unhostable(`starts '${String(params.src)}', which is not among its actors`);
      return;
    case 'xstate.stopChild':
      if (wasThere.has(params) && isActive(params as unknown as ChildRef))
        effects.actions.push(stopOf(workflow, params as unknown as ChildRef));
      return;
    case 'xstate.raise':
      if (typeof params.delay === 'number') effects.actions.push(schedule(params));
      return;
    case 'xstate.cancel':
      effects.actions.push({ kind: 'unschedule', id: String(params.sendId) });
      return;
    case 'xstate.sendTo':
      send(workflow, scope, params, effects);
      return;
    case 'xstate.emit':
      saveable(params.event, `emitted '${params.event.type}'`);
      effects.actions.push({ kind: 'emit', event: params.event });
      return;
    case 'xstate.log':
      effects.actions.push({
        kind: 'custom',
        type: action.type,
        run: (shell) => shell.log(...[params.label, params.value].filter((part) => part !== undefined)),
      });
      return;
    default:
      if (action.exec) effects.actions.push(custom(scope, action));
  }
}

function schedule(params: Record<string, unknown> & { event: MachineEvent }, target?: string): MachineAction {
  saveable(params.event, `delayed '${params.event.type}'`);
  const delayMs = Math.max(0, Number(params.delay));
  return {
    kind: 'schedule',
    ...(params.id !== undefined && { id: String(params.id) }),
    delayMs: Number.isFinite(delayMs) ? delayMs : 0,
    event: params.event,
    ...(target !== undefined && { target }),
  };
}

function send(
  workflow: Workflow,
  scope: StepScope,
  params: Record<string, unknown> & { event: MachineEvent },
  effects: Effects,
): void {
  const to = params.to as AnyActorRef & ChildRef;
  const self = to === scope.self;
  if (!self && markOf(logicOf(workflow.machine, to.src))) {
    throw new Unhostable(`sends '${params.event.type}' to '${to.id}'; an Agent or a gate takes nothing while it runs`);
  }
  if (!self) saveable(params.event, `'${params.event.type}' to '${to.id}'`);
  if (typeof params.delay === 'number') effects.actions.push(schedule(params, self ? undefined : to.id));
  else if (self) effects.toSelf.push(params.event);
  else effects.actions.push({ kind: 'send', to: to.id, event: params.event });
}

function custom(scope: StepScope, action: ResolvedAction): MachineAction {
  return {
    kind: 'custom',
    type: action.type,
    run: (shell) => {
      scope.effects = shell;
      withEffects(shell, () => action.exec?.(action.info, action.params));
    },
  };
}

export function saveable(value: unknown, path: string): void {
  const found = unsaveable(value, path);
  if (found)
    throw new Unhostable(
      `${found.path} holds ${found.what}, which cannot be saved; keep plain JSON data there`,
      found.path,
    );
}
