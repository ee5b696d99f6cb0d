import type { Placement, Placements } from '../host/placements.ts';
import type { NodeRegistry } from './port.ts';

/**
 * Where Harnesses are: a node where it says that it is, now (TW-NOD-024), and a placement of whose name none is registered at its
 * configured address (TW-NOD-026). The token is that of the placement, whatever the address: a node can only name its own.
 */
export function nodePlacements(
  nodes: Pick<NodeRegistry, 'get' | 'list'>,
  fixed: Placements,
  harnessToken: (placement: string) => string,
): Placements {
  const ofNode = (name: string): Placement | undefined => {
    const node = nodes.get(name);
    if (!node) return undefined;
    const { baseUrl, store, capabilities, registeredAt: at } = node;
    return {
      baseUrl,
      token: harnessToken(name),
      said: { at, capabilities, ...(store === undefined ? {} : { store }) },
    };
  };
  return {
    get: (name) => ofNode(name) ?? fixed.get(name),
    names: () => [...new Set([...fixed.names(), ...nodes.list().map(({ nodeId }) => nodeId)])],
  };
}
