/** For the tests of nodes. */
import type { Writes } from '../run/rows.ts';
import type { NodeRegistration } from './port.ts';
import { LiveNodes } from './registry.ts';

export const registration = (more: Partial<NodeRegistration> = {}): NodeRegistration => ({
  baseUrl: 'http://127.0.0.1:8080',
  instanceId: 'inst_1',
  agents: [{ name: 'reviewer' }],
  deployment: 'resident',
  capabilities: { idempotentAdmissions: true, fencedAbort: true, submissionStreams: true },
  ...more,
});

export interface Kept {
  nodes: LiveNodes;
  /** In the order of the commits. */
  writes: Writes[];
  /** `node.health inactive`, … */
  told(): string[];
  /** Awaited before a commit is done; throws: it fails. */
  onCommit: (writes: Writes) => void | Promise<void>;
}

/** Nodes over a store that keeps what it was given. */
export function keptNodes(now: () => number, saved: Parameters<typeof savedNodes>[0] = []): Kept {
  const kept: Kept = {
    writes: [],
    onCommit: () => {},
    told: () => kept.writes.flatMap(({ feed = [] }) => feed.map(({ type, data }) => `${type} ${String(data.health)}`)),
    nodes: savedNodes(saved, now, async (writes) => {
      await kept.onCommit(writes);
      kept.writes.push(writes);
    }),
  };
  return kept;
}

function savedNodes(
  saved: ConstructorParameters<typeof LiveNodes>[0]['saved'],
  now: () => number,
  commit: (writes: Writes) => Promise<void>,
): LiveNodes {
  return new LiveNodes({ saved, now, hearingMs: 15_000, commit });
}
