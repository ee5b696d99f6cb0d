import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { registration } from '../nodes/nodes.fixture.ts';
import { AT } from './host.fixture.ts';
import { ELSEWHERE, HARNESS, INSTANCE, LOCAL, type Serving, serveFake, violations } from './serving.fixture.ts';

let serving: Serving;
beforeEach(async () => {
  serving = await serveFake();
});
afterEach(() => serving.close());

interface Asked {
  token?: string;
  body?: unknown;
}

/** Every answer is held against the spec. */
async function ask(operationId: string, method: string, path: string, { token, body }: Asked) {
  const response = await fetch(`${serving.url}${path}`, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const json = text === '' ? undefined : JSON.parse(text);
  expect(violations(operationId, response, json ?? '')).toEqual([]);
  return { status: response.status, body: json ?? {} };
}

const register = (asked: Asked & { nodeId?: string } = {}) =>
  ask('registerNode', 'PUT', `/nodes/${asked.nodeId ?? 'local'}`, { token: LOCAL, body: registration(), ...asked });
const beat = (asked: Asked & { nodeId?: string } = {}) =>
  ask('heartbeatNode', 'POST', `/nodes/${asked.nodeId ?? 'local'}/heartbeat`, {
    token: LOCAL,
    body: { instanceId: 'inst_1', lifecycle: 'ready' },
    ...asked,
  });
const list = (token = INSTANCE) => ask('listNodes', 'GET', '/nodes', { token });
const read = (nodeId: string, token = INSTANCE) => ask('readNode', 'GET', `/nodes/${nodeId}`, { token });
const remove = (nodeId: string, token = INSTANCE) => ask('removeNode', 'DELETE', `/nodes/${nodeId}`, { token });

describe('the API of nodes', () => {
  it('TW-NOD-001, TW-NOD-009, TW-NOD-019, TW-NOD-020: register, heartbeat, list, read, remove', async () => {
    expect((await list()).body).toEqual({ items: [] });
    expect(await register()).toEqual({ status: 200, body: { heartbeatSeconds: 5, leaseSeconds: 60 } });
    const node = { ...registration(), nodeId: 'local', lifecycle: 'starting', registeredAt: AT };
    expect((await list()).body).toEqual({ items: [{ ...node, health: 'unknown' }] });
    expect((await beat()).status).toBe(200);
    expect(await read('local')).toEqual({
      status: 200,
      body: { ...node, health: 'healthy', lifecycle: 'ready', lastHeartbeatAt: AT },
    });
    expect((await remove('local')).status).toBe(204);
    expect((await remove('local')).body.code).toBe('unknown_node');
    expect((await read('local')).body.code).toBe('unknown_node');
    expect((await beat()).body.code).toBe('unknown_node');
  });

  it('TW-NOD-002: a token of another placement is 403 wrong_placement, and nothing is changed', async () => {
    for (const answer of [await register({ token: ELSEWHERE }), await beat({ token: ELSEWHERE })]) {
      expect([answer.status, answer.body.code]).toEqual([403, 'wrong_placement']);
    }
    expect((await register({ nodeId: 'elsewhere' })).body.code).toBe('wrong_placement');
    expect((await list()).body.items).toEqual([]);
  });

  it.each([
    ['no token', undefined, 401, 'unauthorized'],
    ['the instance token', INSTANCE, 403, 'forbidden'],
    ['a harness token', HARNESS, 403, 'forbidden'],
  ])('TW-TOK-006: a node does not speak with %s', async (_name, token, status, code) => {
    for (const answer of [
      await ask('registerNode', 'PUT', '/nodes/local', { ...(token && { token }), body: registration() }),
      await ask('heartbeatNode', 'POST', '/nodes/local/heartbeat', { ...(token && { token }), body: {} }),
    ]) {
      expect([answer.status, answer.body.code]).toEqual([status, code]);
    }
    expect(serving.host.calls).toEqual([]);
  });

  it('TW-NOD-027: a placement token reads and removes no node', async () => {
    for (const answer of [await list(LOCAL), await read('local', LOCAL), await remove('local', LOCAL)]) {
      expect([answer.status, answer.body.code]).toEqual([403, 'forbidden']);
    }
  });

  it.each([
    ['file: URL', { baseUrl: 'file:///etc/passwd' }, '/baseUrl'],
    ['no URL', { baseUrl: 'somewhere' }, '/baseUrl'],
    ['credentials', { baseUrl: 'http://u:p@host' }, '/baseUrl'],
    ['no agents', { agents: undefined }, '/agents'],
    ['10,000 agents', { agents: Array.from({ length: 10_000 }, (_, at) => ({ name: `a${at}` })) }, '/agents'],
    ['a dot in a name', { agents: [{ name: 'a.b' }] }, '/agents/0/name'],
    ['one name twice', { agents: [{ name: 'a' }, { name: 'a' }] }, '/agents/1/name'],
    ['an output that is no schema', { agents: [{ name: 'a', output: { type: 'no' } }] }, '/agents/0/output'],
    ['no instance', { instanceId: '' }, '/instanceId'],
    ['a deployment that is none', { deployment: 'cloud' }, '/deployment'],
    ['no capabilities', { capabilities: undefined }, '/capabilities'],
  ])('TW-NOD-003, TW-NOD-004, TW-NOD-005: is 422 with %s', async (_name, wrong, path) => {
    const { status, body } = await register({ body: { ...registration(), ...wrong } });
    expect([status, body.code]).toEqual([422, 'invalid']);
    expect(body.problems.map((problem: { path: string }) => problem.path)).toContain(path);
    expect((await list()).body.items).toEqual([]);
  });

  it('TW-NOD-008: a heartbeat of an old instance is 409, and one with a lifecycle that is none 422', async () => {
    await register({ body: registration({ instanceId: 'inst_2' }) });
    const old = await beat();
    expect([old.status, old.body.code, old.body.health]).toEqual([409, 'stale_instance', 'unknown']);
    expect((await beat({ body: { instanceId: 'inst_2', lifecycle: 'asleep' } })).status).toBe(422);
    expect((await read('local')).body.health).toBe('unknown');
  });

  it('TW-GEN-026: a name that is no DNS label is 400', async () => {
    expect((await ask('readNode', 'GET', '/nodes/Lap_Top', { token: INSTANCE })).status).toBe(400);
    expect((await register({ nodeId: 'x'.repeat(64) })).status).toBe(400);
  });

  it('TW-DRN-006: is 503 while it stops', async () => {
    serving.service.stop();
    for (const answer of [await register(), await beat(), await list(), await remove('local')]) {
      expect([answer.status, answer.body.code]).toEqual([503, 'stopping']);
    }
  });
});
