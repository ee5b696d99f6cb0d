import { canonical } from '../render.ts';
import { type Asked, type Effects, type PeerSettings, problem, type Reply } from './state.ts';

interface Taken {
  readonly deliveryId: string;
  readonly body: string;
  readonly event: string;
  polls: number;
}

/** What every receipt says that its case does not change. */
export const usualReceipt = { moved: true, turnComplete: false, allowed: ['approve', 'run_checks'] };

/** An Orchestrator that counts: transitions by delivery id, runs and gate answers by key, cancels. */
export class OrchestratorDouble {
  readonly #settings: PeerSettings;
  readonly #effects: Effects;
  readonly #deliveries = new Map<string, Taken>();
  readonly #keys = new Map<string, Reply>();

  constructor(settings: PeerSettings, effects: Effects) {
    this.#settings = settings;
    this.#effects = effects;
    if (settings.taken !== undefined) this.#take(settings.taken, '', 'approve');
  }

  readonly operations: Readonly<Record<string, (asked: Asked) => Reply>> = {
    readSurface: (asked) => this.#surface(asked),
    pick: (asked) => this.#pick(asked),
    readDelivery: ({ path }) => this.#poll(path.deliveryId ?? ''),
    listWorkflows: () => ({ status: 200, body: { items: [] } }),
    listRuns: () => ({ status: 200, body: { items: [] } }),
    getRun: ({ path }) => ({ status: 200, body: { ...run, runId: path.runId } }),
    startRun: (asked) => this.#once(asked, 'runs', { status: 201, body: { runId: 'r-1' } }),
    answerGate: (asked) => this.#once(asked, 'gateAnswers', { status: 200, body: { ok: true, moved: true } }),
    cancelRun: () => {
      if (this.#effects.cancels > 0) return problem(409, 'already_ended');
      this.#effects.cancels++;
      return { status: 200, body: { ok: true } };
    },
  };

  #surface({ path, headers }: Asked): Reply {
    if (this.#settings.turnOver) return problem(404, 'turn_over');
    const etag = '"e-1"';
    if (headers['if-none-match'] === etag) return { status: 304, headers: { etag } };
    const menu = usualReceipt.allowed.map((name) => ({ name, input: { type: 'object' } }));
    const capabilities = { clientDeliveryIds: this.#honours };
    const body = { iid: path.iid, turnId: 't-1', runId: 'r-1', menu, allowed: usualReceipt.allowed, capabilities };
    return { status: 200, headers: { etag }, body };
  }

  get #honours(): boolean {
    return this.#settings.clientDeliveryIds !== false;
  }

  #pick({ body }: Asked): Reply {
    const id = this.#honours && typeof body.deliveryId === 'string' ? body.deliveryId : undefined;
    const known = id === undefined ? undefined : this.#deliveries.get(id);
    if (known !== undefined && known.body !== canonical(body)) return problem(422, 'delivery_mismatch');
    if (known === undefined && this.#settings.turnOver) return problem(404, 'turn_over');
    const deliveryId = id ?? `d-${this.#effects.transitions + 1}`;
    return this.#state(known ?? this.#take(deliveryId, canonical(body), String(body.event)));
  }

  #take(deliveryId: string, body: string, event: string): Taken {
    const taken = { deliveryId, body, event, polls: 0 };
    this.#deliveries.set(deliveryId, taken);
    this.#effects.transitions++;
    return taken;
  }

  #poll(deliveryId: string): Reply {
    const known = this.#deliveries.get(deliveryId);
    if (known === undefined) return problem(404, this.#settings.turnOver ? 'turn_over' : 'unknown_delivery');
    known.polls++;
    return this.#state(known);
  }

  #state({ deliveryId, event, polls }: Taken): Reply {
    const outstanding = this.#settings.outstandingPolls;
    if (outstanding !== undefined && polls <= outstanding) {
      return { status: 202, body: { status: 'outstanding', deliveryId, event } };
    }
    const whole = { status: 'delivered', deliveryId, event, ...usualReceipt, ...this.#settings.receipt };
    return { status: 200, body: Object.fromEntries(Object.entries(whole).filter(([, value]) => value !== null)) };
  }

  /** A key is remembered with its answer. */
  #once({ headers, operation }: Asked, effect: 'runs' | 'gateAnswers', reply: Reply): Reply {
    const key = `${operation} ${headers['idempotency-key'] ?? crypto.randomUUID()}`;
    const known = this.#keys.get(key);
    if (known !== undefined) return { ...known, headers: { 'idempotency-replayed': 'true' } };
    this.#effects[effect]++;
    this.#keys.set(key, reply);
    return reply;
  }
}

const run = {
  workflow: 'review',
  status: 'cancelled',
  value: 'x',
  context: {},
  executions: [],
  gates: [],
  startedAt: '2026-01-01T00:00:00Z',
};
