import { failureCategories } from '@turnwire/sdk';
import { describe, expect, it } from 'vitest';
import { HARNESS, hostedWorkflow, Ledger } from '../run/ledger.fixture.ts';
import { codingMachine } from '../run/machines.fixture.ts';
import type { NodeNow } from './restart-wait.ts';

const NODE: NodeNow = { instanceId: 'first', moves: 1, deployment: 'resident', health: 'healthy', registeredAt: 1 };

const begun = (node?: Partial<NodeNow>): Ledger => {
  const known = { baseUrl: HARNESS, ...(node && { node: { ...NODE, ...node } }) };
  return new Ledger(hostedWorkflow(codingMachine()), { task: 't' }, known);
};

const running = (): Ledger => {
  const ledger = begun({});
  ledger.admit('sub');
  return ledger;
};

/** The Harness said no to the prompt. */
const answered = (code: string) => () => {
  const ledger = begun();
  const { turnId, intent } = ledger.turn;
  const of = { turnId, key: intent.key, code, certainty: 'answered', reason: 'because', inDoubt: false };
  ledger.take({ type: 'admissionFailed', ...of });
  return ledger;
};

const settled = (code: string) => () => {
  const ledger = running();
  ledger.settle('failed', code);
  return ledger;
};

const swept = (code: 'agent_restart_orphaned' | 'agent_timeout' | 'node_unavailable') => () => {
  const ledger = running();
  const { executionId } = ledger.turn;
  ledger.take({ type: 'swept', executionId, submissionId: 'sub', code, reason: 'because' });
  return ledger;
};

const refused = (ledger: Ledger, code: string) => {
  const { turnId, intent } = ledger.turn;
  const of = { turnId, key: intent.key, tried: NODE, code, reason: 'because', last: code, inDoubt: false };
  ledger.take({ type: 'refused', ...of });
};

/** Where each category of the closed enum comes from (TW-EXE-021). */
const sources: Record<string, [string, string, () => Ledger][]> = {
  target_not_found: [['the Harness has no such agent', 'failed', answered('unknown_agent')]],
  node_unavailable: [['its node is down for 5 min', 'failed', swept('node_unavailable')]],
  agent_unreachable: [
    [
      'its node did not come back',
      'failed',
      () => {
        const ledger = begun({});
        refused(ledger, 'unreachable');
        ledger.now += ledger.graceMs;
        ledger.take({ type: 'look', turnId: ledger.turn.turnId });
        return ledger;
      },
    ],
    [
      'its serverless node refused',
      'failed',
      () => {
        const ledger = begun({ deployment: 'serverless' });
        refused(ledger, 'draining');
        return ledger;
      },
    ],
  ],
  agent_restart_orphaned: [
    ['the Harness restarted', 'failed', settled('harness_restarted')],
    ['it is an orphan', 'failed', swept('agent_restart_orphaned')],
  ],
  agent_error: [
    [
      'it never decided',
      'failed',
      () => {
        const ledger = running();
        for (let nudge = 0; nudge < 3; nudge += 1) {
          ledger.settle('completed');
          if (nudge < 2) ledger.admit(`sub_${nudge}`);
        }
        return ledger;
      },
    ],
  ],
  agent_timeout: [
    ['nothing was heard of it', 'timed_out', swept('agent_timeout')],
    [
      'its deadline passed',
      'timed_out',
      () => {
        const ledger = running();
        ledger.fire();
        return ledger;
      },
    ],
  ],
  validation: [['the Harness refused it as it is', 'failed', answered('invalid')]],
  permission_denied: [
    ['the credential is not known', 'failed', answered('unauthorized')],
    ['its surface was refused', 'failed', settled('surface_refused')],
  ],
  concurrency_limit: [['the queue stayed full', 'failed', answered('queue_full')]],
  model_unavailable: [['the engine failed', 'failed', settled('engine_failed')]],
  bad_response: [['an answer that the protocol does not know there', 'failed', answered('not_found')]],
  runaway: [['it called without end', 'failed', settled('runaway')]],
  limit_exceeded: [['it used too much', 'failed', settled('limit_exceeded')]],
  stopping: [
    ['a Harness at a fixed address drained until the window was over', 'failed', answered('draining')],
    [
      'a node that is heard drained until the window was over',
      'failed',
      () => {
        const ledger = begun({});
        refused(ledger, 'draining');
        ledger.known = { baseUrl: HARNESS, node: { ...NODE, moves: 2 } };
        ledger.take({ type: 'look', turnId: ledger.turn.turnId });
        ledger.now += 90_000;
        refused(ledger, 'draining');
        return ledger;
      },
    ],
  ],
  cancelled: [
    [
      'it was cancelled',
      'cancelled',
      () => {
        const ledger = running();
        ledger.take({ type: 'cancelExecution', executionId: ledger.turn.executionId, reason: 'because' });
        return ledger;
      },
    ],
    ['somebody aborted it at the Harness', 'failed', settled('aborted')],
    [
      'its run was cancelled',
      'cancelled',
      () => {
        const ledger = running();
        ledger.take({ type: 'cancel' });
        return ledger;
      },
    ],
  ],
  internal_error: [['anything else', 'failed', settled('no_such_code')]],
};

describe('each failure category is given by something', () => {
  it('and there is no other', () => {
    expect(Object.keys(sources).sort()).toEqual([...failureCategories].sort());
  });

  it.each(
    Object.entries(sources).flatMap(([category, ways]) =>
      ways.map(([why, status, way]) => ({ category, why, status, way })),
    ),
  )('$category: $why', ({ category, status, way }) => {
    const ledger = way();
    const [record] = [...ledger.executions.values()];
    expect(record).toMatchObject({ status, category });
    const ends = ledger.types().filter((type) => /^execution\.(succeeded|failed|cancelled|timed_out)$/.test(type));
    expect(ends).toEqual([`execution.${status}`]);
    expect(ledger.state.turns.every(({ wait }) => wait === undefined)).toBe(true);
    expect(record?.timeline?.at(-1)).toEqual({ status, at: record?.endedAt });
  });
});

describe("a Run's turn whose node is not there (TW-EXE-008)", () => {
  const look = (ledger: Ledger) => ledger.take({ type: 'look', turnId: ledger.turn.turnId });

  it('waits for it without a record, and has one when it is sent', () => {
    const ledger = begun({ health: 'inactive', inactiveSince: 1 });
    expect(ledger.executions.size).toBe(0);
    expect(ledger.effects.filter(({ kind }) => kind !== 'timer')).toEqual([
      expect.objectContaining({ kind: 'hold', until: ledger.now + 90_000 }),
    ]);
    ledger.now += 60_000;
    look(ledger);
    expect(ledger.types()).not.toContain('execution.started');
    ledger.known = { baseUrl: HARNESS, node: { ...NODE, moves: 2, health: 'unknown' } };
    look(ledger);
    expect([...ledger.executions.values()]).toMatchObject([{ status: 'queued', startedAt: ledger.now }]);
    expect(ledger.kinds()).toContain('admit');
    ledger.admit('sub');
    ledger.pick('finish', { summary: 's' });
    expect(ledger.types().filter((type) => type.startsWith('execution.'))).toEqual([
      'execution.started',
      'execution.dispatching',
      'execution.running',
      'execution.succeeded',
    ]);
  });

  it.each([
    ['node_unavailable', { health: 'inactive' as const }],
    ['target_not_found', undefined],
  ])('faults %s when the window is over, and leaves none', (code, node) => {
    const known = node ? { baseUrl: HARNESS, node: { ...NODE, ...node } } : {};
    const ledger = new Ledger(hostedWorkflow(codingMachine()), { task: 't' }, known);
    ledger.restart();
    ledger.now += 90_000;
    // Its own state gives up after a minute; this run has slept through that.
    look(ledger);
    expect(ledger.state.value).toBe('failed');
    expect(ledger.executions.size).toBe(0);
    expect(ledger.types().filter((type) => type.startsWith('execution.'))).toEqual([]);
    expect([...ledger.intents.values()]).toMatchObject([{ fault: code }]);
  });

  it('that is cancelled meanwhile leaves none either', () => {
    const ledger = begun({ health: 'inactive' });
    ledger.take({ type: 'cancel' });
    expect(ledger.executions.size).toBe(0);
    expect(ledger.state.turns).toEqual([]);
  });
});
