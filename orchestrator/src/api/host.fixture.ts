import {
  type ExecutionRecord,
  type Executions,
  type FeedEvent,
  HostRefusal,
  type RunHost,
  type RunView,
  type SurfaceView,
  type WorkflowView,
} from '../host/port.ts';
import type { Nodes } from '../nodes/port.ts';
import { LiveNodes } from '../nodes/registry.ts';

export const AT = '2026-01-02T03:04:05.000Z';

export const WORKFLOW: WorkflowView = {
  name: 'review',
  status: 'ready',
  inputSchema: {
    type: 'object',
    required: ['title', 'diff'],
    properties: { title: { type: 'string' }, diff: { type: 'string' } },
  },
  agents: [{ name: 'reviewer', menu: [{ name: 'approve', input: { type: 'object' } }] }],
  definition: { id: 'review' },
};

export const REFUSED: WorkflowView = {
  name: 'broken',
  status: 'refused',
  findings: [
    {
      code: 'no_fault_transition',
      state: 'coding',
      message: 'broken: state coding has no agent.fault.coder transition; add one',
    },
  ],
};

export const GATE = {
  gate: 'merge_decision',
  gateId: 'gate_1',
  accepts: [{ name: 'merge', input: { type: 'object', properties: {} } }],
  since: AT,
};

export const RUN: RunView = {
  runId: 'run_1',
  workflow: 'review',
  status: 'active',
  value: { reviewing: 'waiting' },
  context: { title: 't' },
  executions: [{ executionId: 'exec_1', agent: 'reviewer', status: 'running' }],
  gates: [GATE],
  startedAt: AT,
};

export const SURFACE: SurfaceView = {
  iid: 'iid_1',
  turnId: 'turn_1',
  runId: 'run_1',
  menu: [{ name: 'approve', input: { type: 'object' } }],
  allowed: ['approve'],
  capabilities: { clientDeliveryIds: true },
};

/** Those of {@link RunHost} that a test can choose; its nodes are real ones, in memory. */
type Methods = Omit<RunHost, 'nodes' | 'executions'>;

export const EXECUTION: ExecutionRecord = {
  executionId: 'exec_1',
  runId: 'run_1',
  agent: 'reviewer',
  target: 'laptop.reviewer',
  turnId: 'turn_1',
  iid: 'iid_1',
  placement: 'laptop',
  status: 'running',
  startedAt: AT,
  timeline: [{ status: 'queued', at: AT }],
};

const EXECUTIONS: Executions = {
  start: () => Promise.resolve({ executionId: EXECUTION.executionId, replayed: false }),
  read: (executionId) => Promise.resolve(executionId === EXECUTION.executionId ? EXECUTION : undefined),
  list: () => Promise.resolve({ items: [EXECUTION] }),
  cancel: () => Promise.resolve(),
  replay: () => Promise.resolve({ executionId: EXECUTION.executionId, replayed: false, reused: false }),
};

/** Those of executions, each call noted. */
function spied(calls: (readonly unknown[])[], instead: Partial<Executions>): Executions {
  const noted = Object.entries(EXECUTIONS).map(([method, usual]) => [
    method,
    (...given: unknown[]) => {
      calls.push([`executions.${method}`, ...given]);
      return ((instead[method as keyof Executions] ?? usual) as (...all: unknown[]) => unknown)(...given);
    },
  ]);
  return Object.fromEntries(noted) as Executions;
}

export interface FakeHost extends RunHost {
  /** Every call that reached the host, in order. */
  readonly calls: readonly (readonly unknown[])[];
  /** What a method does instead of its usual answer. */
  will<K extends keyof Methods>(method: K, work: Methods[K]): void;
  willExecute<K extends keyof Executions>(method: K, work: Executions[K]): void;
}

/** A run host whose answers a test chooses, and that keeps what reached it. */
export function fakeHost(): FakeHost {
  const calls: (readonly unknown[])[] = [];
  const instead: Partial<Record<keyof Methods, unknown>> = {};
  const executing: Partial<Executions> = {};
  const usual: Methods = {
    workflows: () => [WORKFLOW, REFUSED],
    workflow: (name) => [WORKFLOW, REFUSED].find((workflow) => workflow.name === name),
    start: () => Promise.resolve({ runId: RUN.runId, replayed: false }),
    runs: () => Promise.resolve({ items: [RUN] }),
    run: (runId) => Promise.resolve(runId === RUN.runId ? RUN : undefined),
    answerGate: () => Promise.resolve({ moved: true, replayed: false }),
    cancel: () => Promise.resolve(),
    surface: () => Promise.resolve(SURFACE),
    available: () => Promise.resolve(),
    pick: () => Promise.resolve({ status: 200, receipt: RECEIPT }),
    delivery: () => Promise.resolve({ status: 200, receipt: RECEIPT }),
    feed: (runId) => snapshotOnly(runId),
    counters: () => ({ runs_active: 1 }),
    stop: () => Promise.resolve(),
  };
  const host = Object.fromEntries(
    Object.entries(usual).map(([method, work]) => [
      method,
      (...given: unknown[]) => {
        calls.push([method, ...given]);
        return ((instead[method as keyof Methods] ?? work) as (...all: unknown[]) => unknown)(...given);
      },
    ]),
  ) as unknown as Methods;
  return Object.assign(host, {
    calls,
    nodes: recorded(calls),
    executions: spied(calls, executing),
    willExecute: <K extends keyof Executions>(method: K, work: Executions[K]) => {
      executing[method] = work;
    },
    will: <K extends keyof Methods>(method: K, work: Methods[K]) => {
      instead[method] = work;
    },
  });
}

/** Nodes of which each call is kept. */
function recorded(calls: (readonly unknown[])[]): Nodes {
  const nodes = new LiveNodes({ saved: [], now: () => Date.parse(AT), hearingMs: 0, commit: () => Promise.resolve() });
  return new Proxy(nodes, {
    get(target, name) {
      const member = Reflect.get(target, name) as unknown;
      if (typeof member !== 'function') return member;
      return (...given: unknown[]) => {
        calls.push([name, ...given]);
        return member.apply(target, given) as unknown;
      };
    },
  });
}

export const RECEIPT = {
  status: 'delivered' as const,
  deliveryId: 'dlv_1',
  event: 'approve',
  moved: true,
  turnComplete: true,
  allowed: [],
};

export const OUTSTANDING = { status: 'outstanding' as const, deliveryId: 'dlv_1', event: 'approve' };

export const snapshot = (runId = RUN.runId): FeedEvent => ({
  id: '1',
  type: 'snapshot',
  at: AT,
  runId,
  data: { runs: [{ ...RUN }] as never },
});

async function* snapshotOnly(runId: string | undefined): AsyncIterable<FeedEvent> {
  if (runId !== undefined && runId !== RUN.runId) throw new HostRefusal('unknown_run', `there is no run ${runId}`);
  yield snapshot(runId);
}
