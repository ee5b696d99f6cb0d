import { describe, expect, it } from 'vitest';
import { HARNESS, hostedWorkflow, Ledger } from '../run/ledger.fixture.ts';
import { codingMachine } from '../run/machines.fixture.ts';
import type { NodeNow } from './restart-wait.ts';
import { isWorthSaving, type Seen, sweep } from './sweep.ts';

const MINUTE = 60_000;
const node = (more: Partial<NodeNow> = {}): NodeNow => ({
  instanceId: 'first',
  moves: 1,
  deployment: 'resident',
  health: 'healthy',
  registeredAt: 1_000_000,
  ...more,
});

/** A running turn, admitted by the first process at 1,000,000. */
function running(known: NodeNow | null = node()): Ledger {
  const ledger = new Ledger(hostedWorkflow(codingMachine()), { task: 't' });
  ledger.known = { baseUrl: HARNESS, ...(known && { node: known }) };
  const { turnId, intent } = ledger.turn;
  ledger.take({ type: 'dispatch', turnId, key: intent.key });
  const admission = { streamUrl: `${HARNESS}/s`, offset: '0_0', submissionId: 'sub' };
  const of = known ? { instanceId: known.instanceId, address: HARNESS } : {};
  ledger.take({ type: 'admitted', turnId, key: intent.key, admission, ...of });
  return ledger;
}

const seen = (more: Partial<Seen> = {}): Seen => ({
  now: 1_000_000,
  node: node(),
  heardAt: undefined,
  since: 0,
  atGate: false,
  ...more,
});

describe('an orphan (TW-EXE-034, TW-EXE-035)', () => {
  const replaced = node({ instanceId: 'second', registeredAt: 2_000_000 });
  const after = (ms: number, more: Partial<Seen> = {}) => seen({ now: 2_000_000 + ms, node: replaced, ...more });

  it.each([
    ['within the drain grace', after(59_999), undefined],
    ['after it', after(MINUTE), 'agent_restart_orphaned'],
    ['while its stream answers', after(MINUTE, { heardAt: 2_030_000 }), undefined],
    ['when that has stopped', after(MINUTE + 5_000, { heardAt: 2_030_000 }), 'agent_restart_orphaned'],
    ['before this process could have heard anything', after(MINUTE, { since: 2_030_000 }), undefined],
    ['when it is the same process', after(MINUTE, { node: node() }), undefined],
  ])('%s', (_, known, code) => {
    expect(sweep(running().turn, known)?.code).toBe(code);
  });

  it('is never one that has no Admission, and never one of a fixed address', () => {
    const waiting = new Ledger(hostedWorkflow(codingMachine()), { task: 't' });
    expect(sweep(waiting.turn, after(MINUTE))).toBeUndefined();
    expect(sweep(running(null).turn, after(MINUTE))).toBeUndefined();
  });
});

describe('a node that stays down (TW-EXE-043)', () => {
  const down = node({ health: 'inactive', inactiveSince: 2_000_000 });
  it.each([
    ['for less than 5 min', 5 * MINUTE - 1, undefined, undefined],
    ['for 5 min', 5 * MINUTE, undefined, 'node_unavailable'],
    ['while its stream answers', 5 * MINUTE, 2_000_000 + 5 * MINUTE - 1_000, undefined],
  ])('%s', (_, ms, heardAt, code) => {
    expect(sweep(running().turn, seen({ now: 2_000_000 + ms, node: down, heardAt }))?.code).toBe(code);
  });
});

describe('silence (TW-EXE-036, TW-EXE-037)', () => {
  const at = (ms: number, more: Partial<Seen> = {}) => seen({ now: 1_000_000 + ms, ...more });
  const half = 30 * MINUTE;

  it('for 30 min is too long, unless the stream answered since', () => {
    const { turn } = running();
    expect(sweep(turn, at(half - 1))).toBeUndefined();
    expect(sweep(turn, at(half))?.code).toBe('agent_timeout');
    expect(sweep(turn, at(half, { heardAt: 1_000_001 }))).toBeUndefined();
    expect(sweep({ ...turn, heardAt: 1_000_001 }, at(half))).toBeUndefined();
  });

  it('is none while it waits for a gate, an outstanding pick, a restart or its place', () => {
    const { turn } = running();
    const outstanding = { deliveryId: 'd', event: 'check', input: {}, moved: true, bodyHash: 'h', at: 1 };
    expect(sweep(turn, at(half, { atGate: true }))).toBeUndefined();
    expect(sweep({ ...turn, outstanding }, at(half))).toBeUndefined();
    expect(sweep({ ...turn, blockedUntil: 1 }, at(half))).toBeUndefined();
    expect(sweep({ ...turn, parkedUntil: 1 }, at(half))).toBeUndefined();
  });

  it('is counted by the next process from what was saved', () => {
    const ledger = running();
    expect(isWorthSaving(ledger.turn, 1_000_000 + 4 * MINUTE)).toBe(false);
    expect(isWorthSaving(ledger.turn, 1_000_000 + 5 * MINUTE)).toBe(true);
    ledger.take({ type: 'heard', turnId: ledger.turn.turnId, at: 1_000_000 + 5 * MINUTE });
    ledger.restart();
    expect(sweep(ledger.turn, at(half))).toBeUndefined();
    expect(sweep(ledger.turn, at(half + 5 * MINUTE))?.code).toBe('agent_timeout');
  });
});

describe('what a sweep found', () => {
  const swept = (code: 'agent_restart_orphaned' | 'agent_timeout' | 'node_unavailable', submissionId = 'sub') => {
    const ledger = running();
    const { executionId } = ledger.turn;
    ledger.take({ type: 'swept', executionId, submissionId, code, reason: 'because' });
    return { ledger, record: ledger.executions.get(executionId) };
  };

  it.each([
    ['agent_restart_orphaned', 'failed', 'agent_restart_orphaned'],
    ['agent_timeout', 'timed_out', 'agent_timeout'],
    ['node_unavailable', 'failed', 'node_unavailable'],
  ] as const)('%s ends the execution and tells the machine', (code, status, category) => {
    const { ledger, record } = swept(code);
    expect(record).toMatchObject({ status, category, reason: 'because' });
    expect(ledger.state.value).toBe('failed');
    expect(ledger.types().filter((type) => type === `execution.${status}`)).toHaveLength(1);
    // It may be at work wherever it is.
    expect(ledger.effect('abort')).toMatchObject({ submissionId: 'sub', address: HARNESS });
  });

  it('ends what is left of a turn whose abort the new process has acknowledged', () => {
    const { ledger } = swept('agent_restart_orphaned');
    const [left] = ledger.state.turns;
    if (!left) throw new Error('its abort is owed');
    const later = seen({ now: 3_000_000, node: node({ instanceId: 'second' }) });
    expect(sweep(left, later)).toBeUndefined();
    ledger.take({ type: 'aborted', turnId: left.turnId, fence: 'sub' });
    const [waiting] = ledger.state.turns;
    expect(waiting && sweep(waiting, later)?.code).toBe('agent_restart_orphaned');
    const { executionId } = left;
    ledger.take({ type: 'swept', executionId, submissionId: 'sub', code: 'agent_restart_orphaned', reason: 'r' });
    expect(ledger.state.turns).toEqual([]);
    expect(ledger.types().filter((type) => type === 'execution.failed')).toHaveLength(1);
  });

  it('is nothing to another Admission', () => {
    expect(swept('agent_timeout', 'another').record?.status).toBe('running');
  });
});
