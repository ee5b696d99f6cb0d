import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { MemoryStore } from './memory.ts';
import { openStore } from './open.ts';
import type { DeliveryRow, ExecutionRow, IntentRow, NodeRow, RunRow, Store, TurnRow, Writes } from './port.ts';

const run = (runId: string, more: Partial<RunRow> = {}): RunRow => ({
  runId,
  workflow: 'review',
  status: 'active',
  live: true,
  startedAt: 1_000,
  document: `{"run":"${runId}"}`,
  ...more,
});
const turn = (turnId: string, runId: string, more: Partial<TurnRow> = {}): TurnRow => ({
  turnId,
  iid: `${runId}.a.0`,
  runId,
  placement: 'local',
  openedAt: 1_000,
  ...more,
});
const delivery = (deliveryId: string, runId: string, more: Partial<DeliveryRow> = {}): DeliveryRow => ({
  iid: `${runId}.a.0`,
  deliveryId,
  runId,
  turnId: `t-${runId}`,
  placement: 'local',
  event: 'finish',
  bodyHash: 'h',
  status: 'outstanding',
  transitions: 0,
  at: 1_000,
  ...more,
});
const execution = (executionId: string, runId: string): ExecutionRow => ({
  executionId,
  runId,
  agent: 'a',
  turnId: 't',
  iid: 'i',
  placement: 'local',
  status: 'queued',
  startedAt: 1_000,
});
const intent = (key: string, runId: string): IntentRow => ({
  key,
  runId,
  turnId: 't',
  agent: 'a',
  iid: 'i',
  placement: 'local',
  body: '{"message":"é"}',
  savedAt: 1_000,
});
const node = (nodeId: string, more: Partial<NodeRow> = {}): NodeRow => ({
  nodeId,
  instanceId: 'inst_1',
  baseUrl: 'http://127.0.0.1:8080',
  deployment: 'resident',
  capabilities: { idempotentAdmissions: true, fencedAbort: true, submissionStreams: true },
  health: 'unknown',
  lifecycle: 'starting',
  registeredAt: 1_000,
  heardAt: 1_000,
  moves: 7,
  ...more,
});
const frame = (runId: string, type: string) => ({ runId, type, record: runId, at: 1_000, data: { type } });

type Case = [name: string, check: (store: Store) => Promise<void>];

const cases: Case[] = [
  [
    'gives back a run as it was saved, and only live ones to a restart',
    async (store) => {
      await store.commit([
        { run: run('r1') },
        { run: run('r2', { live: false, status: 'done', endedAt: 2_000 }) },
        { run: run('r3', { startedAt: 500 }) },
      ]);
      expect(await store.run('r2')).toEqual(run('r2', { live: false, status: 'done', endedAt: 2_000 }));
      expect(await store.run('none')).toBeUndefined();
      expect((await store.liveRuns()).map((row) => row.runId)).toEqual(['r3', 'r1']);
    },
  ],
  [
    'replaces a row that is written again',
    async (store) => {
      await store.commit([{ run: run('r1'), deliveries: [delivery('d1', 'r1')] }]);
      const receipt = {
        status: 'delivered' as const,
        deliveryId: 'd1',
        event: 'finish',
        moved: true,
        turnComplete: true,
        allowed: [],
      };
      const answered = delivery('d1', 'r1', { status: 'delivered', transitions: 1, receipt, answeredAt: 3_000 });
      await store.commit([{ run: run('r1', { document: '{}' }), deliveries: [answered] }]);
      expect(await store.delivery('r1.a.0', 'd1')).toEqual(answered);
      expect((await store.run('r1'))?.document).toBe('{}');
      expect(await store.delivery('other.a.0', 'd1')).toBeUndefined();
    },
  ],
  [
    'numbers feed frames across the runs in the order of the commits, and reads them from a position on',
    async (store) => {
      const seqs = await store.commit([
        { feed: [frame('r1', 'a'), frame('r1', 'b')] },
        { feed: [] },
        { feed: [frame('r2', 'c')] },
      ]);
      expect(seqs.map((list) => list.length)).toEqual([2, 0, 1]);
      const [first, second, third] = seqs.flat() as [number, number, number];
      expect(first < second && second < third).toBe(true);
      expect(await store.lastSeq()).toBe(third);
      expect((await store.feed(first, undefined, 10)).map((row) => row.type)).toEqual(['b', 'c']);
      expect(await store.feed(0, 'r2', 10)).toEqual([{ ...frame('r2', 'c'), seq: third }]);
      expect((await store.feed(0, undefined, 2)).map((row) => row.type)).toEqual(['a', 'b']);
    },
  ],
  [
    'changes of an intent keep what they do not name',
    async (store) => {
      await store.commit([{ intents: [intent('k1', 'r1')] }]);
      await store.commit([{ intentChanges: [{ key: 'k1', sentAt: 5 }] }]);
      const admission = { path: '/s', offset: '0_0', submissionId: 's1' };
      await store.commit([
        {
          intentChanges: [
            { key: 'k1', admission },
            { key: 'unheard of', fault: 'x' },
          ],
        },
      ]);
      expect(await store.intent('k1')).toEqual({ ...intent('k1', 'r1'), sentAt: 5, admission });
      expect(await store.intent('unheard of')).toBeUndefined();
    },
  ],
  [
    'keys are of their scope, and found by their run newest first',
    async (store) => {
      const row = { scope: 'g1', key: 'k', runId: 'r1', bodyHash: 'h', answer: { moved: true }, at: 1 };
      await store.commit([{ keys: [row, { ...row, scope: 'g2', at: 2 }] }]);
      expect(await store.key('g1', 'k')).toEqual(row);
      expect(await store.key('g3', 'k')).toBeUndefined();
      expect((await store.keysOf('r1', 'k')).map((one) => one.scope)).toEqual(['g2', 'g1']);
    },
  ],
  [
    'pages runs newest first, by workflow, status and sets of ids',
    async (store) => {
      const rows = [1, 2, 3, 4, 5].map((n) => run(`r${n}`, { startedAt: 1_000 + Math.floor(n / 2) }));
      await store.commit([
        ...rows.map((row) => ({ run: row })),
        { run: run('x', { workflow: 'other', status: 'done' }) },
      ]);
      const ids = async (query: Parameters<Store['runs']>[0]) => (await store.runs(query)).map((row) => row.runId);
      expect(await ids({ workflow: 'review', limit: 2 })).toEqual(['r5', 'r4']);
      expect(await ids({ workflow: 'review', limit: 9, after: { startedAt: 1_002, runId: 'r4' } })).toEqual([
        'r3',
        'r2',
        'r1',
      ]);
      expect(await ids({ status: 'done', limit: 9 })).toEqual(['x']);
      expect(await ids({ only: ['r2', 'r4'], limit: 9 })).toEqual(['r4', 'r2']);
      expect(await ids({ workflow: 'review', except: ['r5', 'r1'], limit: 9 })).toEqual(['r4', 'r3', 'r2']);
      expect(await ids({ only: [], limit: 9 })).toEqual([]);
    },
  ],
  [
    'finds the newest turn of a conversation, and the executions of runs',
    async (store) => {
      const turns = [turn('t1', 'r1', { endedAt: 2_000 }), turn('t2', 'r1', { openedAt: 3_000 })];
      await store.commit([{ turns, executions: [execution('e1', 'r1'), execution('e2', 'r2')] }]);
      expect(await store.turnOf('r1.a.0')).toEqual(turns[1]);
      expect(await store.executions(['r1', 'r9'])).toEqual([execution('e1', 'r1')]);
    },
  ],
  [
    'keeps what is known of placements',
    async (store) => {
      const capabilities = { idempotentAdmissions: true, fencedAbort: false, submissionStreams: true };
      await store.commit([{ placements: [{ placement: 'local', store: 's1', at: 1 }] }]);
      await store.commit([{ placements: [{ placement: 'local', store: 's2', capabilities, at: 2 }] }]);
      expect(await store.placements()).toEqual([{ placement: 'local', store: 's2', capabilities, at: 2 }]);
    },
  ],
  [
    'frees ended runs and old receipts, and nothing of the living (TW-DLV-006, TW-DUR-024)',
    async (store) => {
      const ended = { live: false, status: 'done', endedAt: 5_000 } as const;
      const whole = (id: string, row: RunRow, endedAt?: number): Writes => ({
        run: row,
        turns: [turn(`t-${id}`, id, endedAt === undefined ? {} : { endedAt })],
        deliveries: [delivery('d', id)],
        executions: [execution(`e-${id}`, id)],
        feed: [frame(id, 'x')],
      });
      await store.commit([
        whole('old', run('old', ended), 5_000),
        whole('live', run('live')),
        whole('turned', run('turned'), 9_000),
      ]);
      await store.prune({ runsBefore: 5_001, receiptsBefore: 9_001 });
      expect(await store.run('old')).toBeUndefined();
      expect(await store.executions(['old', 'live'])).toHaveLength(1);
      expect((await store.feed(0, undefined, 9)).map((row) => row.runId)).toEqual(['live', 'turned']);
      expect(await store.delivery('live.a.0', 'd')).toBeDefined();
      expect(await store.delivery('turned.a.0', 'd')).toBeUndefined();
    },
  ],
  [
    'gives back nodes by name, with their agents, a heartbeat written over the rest alone, and none that is removed',
    async (store) => {
      const agents = [{ name: 'a', output: { type: 'string' } }, { name: 'b' }];
      await store.commit([{ nodes: [node('n2'), node('n1')], nodeAgents: [{ nodeId: 'n1', agents }] }]);
      const beaten = node('n1', { health: 'inactive', lastHeartbeatAt: 2_000, moves: 8, inactiveSince: 3_000 });
      await store.commit([{ nodes: [beaten] }]);
      expect(await store.nodes()).toEqual([
        { ...beaten, agents },
        { ...node('n2'), agents: [] },
      ]);
      await store.commit([{ nodes: [node('n1')] }, { removedNodes: ['n2', 'none'] }]);
      expect(await store.nodes()).toEqual([{ ...node('n1'), agents }]);
    },
  ],
  [
    'frees old frames that are of no run',
    async (store) => {
      const of = (at: number) => ({ type: 'node.health', record: 'n1', at, data: {} });
      await store.commit([{ feed: [of(1_000), of(2_000), frame('r1', 'x')] }]);
      await store.prune({ runsBefore: 2_000, receiptsBefore: 2_000 });
      expect((await store.feed(0, undefined, 9)).map(({ runId, at }) => [runId, at])).toEqual([
        [undefined, 2_000],
        ['r1', 1_000],
      ]);
    },
  ],
  [
    'saves a batch whole or not at all',
    async (store) => {
      const broken = { run: run('bad', { startedAt: (() => 1) as unknown as number }) };
      await expect(store.commit([{ run: run('good'), feed: [frame('good', 'x')] }, broken])).rejects.toThrow();
      expect(await store.run('good')).toBeUndefined();
      expect(await store.feed(0, undefined, 9)).toEqual([]);
    },
  ],
];

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const makers: Record<string, () => Promise<Store>> = {
  memory: async () => new MemoryStore(),
  sqlite: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'turnwire-store-'));
    folders.push(folder);
    return openStore(`file:${join(folder, 'runs.db')}`, { waitMs: 0 });
  },
};

describe.each(Object.keys(makers))('the %s store', (name) => {
  it.each(cases)('%s', async (_name, check) => {
    const store = await (makers[name] as () => Promise<Store>)();
    try {
      await check(store);
    } finally {
      store.close();
    }
  });
});
