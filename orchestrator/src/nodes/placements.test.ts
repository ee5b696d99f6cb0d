import { describe, expect, it } from 'vitest';
import { fixedPlacements } from '../host/placements.ts';
import { keptNodes, registration } from './nodes.fixture.ts';
import { nodePlacements } from './placements.ts';

describe('where Harnesses are', () => {
  it('TW-NOD-024, TW-NOD-026: a node where it says that it is now, another placement at its configured address', async () => {
    const { nodes } = keptNodes(() => 1_000);
    const fixed = fixedPlacements({ local: { baseUrl: 'http://fixed', token: 'token of local' } });
    const placements = nodePlacements(nodes, fixed, (name) => `token of ${name}`);
    expect(placements.get('local')).toEqual({ baseUrl: 'http://fixed', token: 'token of local' });
    expect(placements.get('laptop')).toBeUndefined();

    const { capabilities } = registration();
    await nodes.register('laptop', registration({ store: 's1' }));
    await nodes.register('local', registration({ baseUrl: 'http://node' }));
    expect(placements.get('laptop')).toEqual({
      baseUrl: 'http://127.0.0.1:8080',
      token: 'token of laptop',
      said: { at: 1_000, store: 's1', capabilities },
    });
    expect(placements.get('local')).toMatchObject({ baseUrl: 'http://node', token: 'token of local' });
    expect(placements.names()).toEqual(['local', 'laptop']);

    await nodes.remove('local');
    expect(placements.get('local')?.baseUrl).toBe('http://fixed');
  });
});
