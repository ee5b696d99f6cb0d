/** A harness that registers itself, as the kit's Orchestrator sees it: what it said, and what it is answered. */
import { problem, type Reply } from './turn.ts';

export interface NodeWord {
  /** `performance.now()` when it was heard. */
  readonly at: number;
  readonly what: 'register' | 'heartbeat';
  readonly body: Readonly<Record<string, unknown>>;
}

/** How often a node of the kit is to heartbeat: as often as the wire can say, so that a check is short. */
export const HEARTBEAT_SECONDS = 1;

export class NodeDouble {
  readonly said: NodeWord[] = [];
  /** What the next heartbeats are refused with. */
  refusal: 'unknown_node' | 'stale_instance' | undefined;

  hear(method: string, body: unknown): Reply {
    const what = method === 'PUT' ? 'register' : 'heartbeat';
    this.said.push({ at: performance.now(), what, body: (body ?? {}) as NodeWord['body'] });
    if (what === 'register') return { status: 200, body: { heartbeatSeconds: HEARTBEAT_SECONDS, leaseSeconds: 60 } };
    if (this.refusal === undefined) return { status: 200, body: { ok: true } };
    if (this.refusal === 'unknown_node') return problem({ status: 404, code: 'unknown_node' });
    // Another process of that name has registered, and is at work.
    return problem({ status: 409, code: this.refusal, more: { health: 'healthy' } });
  }

  registrations(): NodeWord[] {
    return this.said.filter(({ what }) => what === 'register');
  }

  /** Heartbeats, of one lifecycle or of any. */
  beats(lifecycle?: string): NodeWord[] {
    return this.said.filter(
      ({ what, body }) => what === 'heartbeat' && (lifecycle === undefined || body.lifecycle === lifecycle),
    );
  }
}
