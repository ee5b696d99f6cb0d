import { describe, expect, it } from 'vitest';
import { heartbeat, listNodes, readNode, registerNode, removeNode } from './index.ts';
import { ours, problem } from './testing/peer.ts';
import { faultOf, stage } from './testing/stage.ts';

const { peerOf, connected } = stage();
const registration = {
  baseUrl: 'http://127.0.0.1:8080',
  instanceId: 'inst_1',
  agents: [{ name: 'reviewer', output: { type: 'string' } }],
  deployment: 'resident' as const,
  capabilities: { idempotentAdmissions: true, fencedAbort: true, submissionStreams: true },
};
const beat = { nodeId: 'laptop', instanceId: 'inst_1', lifecycle: 'ready' as const };

describe('nodes', () => {
  it('TW-NOD-001: a registration asks until it has its answer, with the same body', async () => {
    const script = ['reset', problem(503, 'starting'), problem(500, 'internal_error')] as const;
    const peer = await peerOf((_, count) => script[count - 1] ?? ours(200, { heartbeatSeconds: 5, leaseSeconds: 60 }));
    const { connection } = connected(peer.url);
    expect(await registerNode(connection, { nodeId: 'laptop', ...registration })).toEqual({
      heartbeatSeconds: 5,
      leaseSeconds: 60,
    });
    expect(peer.seen).toHaveLength(4);
    for (const { method, path, body } of peer.seen) {
      expect([method, path, JSON.parse(body)]).toEqual(['PUT', '/nodes/laptop', registration]);
    }
  });

  it('TW-NOD-004: what is wrong with a registration is in the fault, after one copy', async () => {
    const problems = [{ path: '/baseUrl', message: 'must be an http or https URL' }];
    const peer = await peerOf(() => problem(422, 'invalid', { problems }));
    const { connection } = connected(peer.url);
    const fault = await faultOf(registerNode(connection, { nodeId: 'laptop', ...registration, baseUrl: 'file:///x' }));
    expect(fault).toMatchObject({ code: 'invalid', seat: 'register', attempts: 1, problem: { problems } });
  });

  it('TW-NOD-007, TW-NOD-008: what a heartbeat is told is final', async () => {
    const peer = await peerOf((_, count) =>
      count === 1 ? problem(404, 'unknown_node') : problem(409, 'stale_instance'),
    );
    const { connection } = connected(peer.url);
    expect(await faultOf(heartbeat(connection, beat))).toMatchObject({ code: 'unknown_node', attempts: 1 });
    expect(await faultOf(heartbeat(connection, beat))).toMatchObject({ code: 'stale_instance', attempts: 1 });
  });

  it('TW-NOD-022: a heartbeat that is late for the next is given up', async () => {
    const peer = await peerOf(() => problem(503, 'stopping'));
    const { connection, clock } = connected(peer.url);
    expect(await faultOf(heartbeat(connection, beat, { windowMs: 5_000 }))).toMatchObject({ seat: 'heartbeat' });
    expect(clock.slept.reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(5_000);
    expect(JSON.parse(peer.seen[0]?.body ?? '')).toEqual({ instanceId: 'inst_1', lifecycle: 'ready' });
  });

  it('TW-NOD-019: lists and shows', async () => {
    const node = { nodeId: 'laptop', health: 'healthy' };
    const peer = await peerOf(({ path }) => ours(200, path === '/nodes' ? { items: [node] } : node));
    const { connection } = connected(peer.url);
    expect(await listNodes(connection)).toEqual({ items: [node] });
    expect(await readNode(connection, { nodeId: 'laptop' })).toEqual(node);
  });

  it('TW-NOD-020: a removal that an earlier copy did is a success, and one of nothing is not', async () => {
    const peer = await peerOf((_, count) => (count === 1 ? 'reset' : problem(404, 'unknown_node')));
    await removeNode(connected(peer.url).connection, { nodeId: 'laptop' });
    expect(peer.seen.map(({ method }) => method)).toEqual(['DELETE', 'DELETE']);
    expect((await faultOf(removeNode(connected(peer.url).connection, { nodeId: 'laptop' }))).code).toBe('unknown_node');
  });
});
