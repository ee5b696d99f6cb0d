/** One conversation as the kit's Orchestrator sees it: which pick was taken, and what is answered for it. */
import { type PickAnswer, type Refusal, type SurfaceAnswer, type TurnPlan, usualMenu } from './plan.ts';

/** `cut`: the connection is destroyed; `hang`: nothing is ever answered. */
export type Reply =
  | { readonly status: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
  | 'cut'
  | 'hang';

export interface PickBody {
  readonly turnId?: string;
  readonly deliveryId?: string;
  readonly event?: string;
  readonly input?: unknown;
}

export interface Delivery {
  readonly deliveryId: string;
  readonly event: string;
  readonly input: unknown;
  readonly turnId: string;
  readonly body: string;
  readonly answer: PickAnswer;
  copies: number;
  polls: number;
}

export class TurnDouble {
  /** Picks that were taken, in this order. */
  readonly deliveries: Delivery[] = [];
  /** Reads of the surface so far. */
  reads = 0;
  #refused = 0;
  #released = false;
  readonly #parked = new Set<() => void>();

  constructor(readonly plan: TurnPlan) {}

  /** The workflow comes to Rest: what is outstanding has its receipt. */
  release(): void {
    this.#released = true;
    for (const wake of [...this.#parked]) wake();
  }

  surface(iid: string, ifNoneMatch: string | undefined): Reply {
    const answer = this.#nth(this.plan.surface, this.reads++);
    if (answer.hang) return 'hang';
    if (answer.refuse && isRefused(answer.refuse, this.reads)) return problem(answer.refuse);
    const menu = answer.menu ?? this.plan.menu ?? usualMenu;
    const allowed = answer.allowed ?? this.plan.allowed ?? menu.map(({ name }) => name);
    const turnId = answer.turnId ?? this.turnId;
    const capabilities = { clientDeliveryIds: this.#honours };
    const etag = `"${Buffer.from(JSON.stringify([turnId, allowed])).toString('base64url')}"`;
    if (ifNoneMatch === etag) return { status: 304, headers: { etag } };
    return { status: 200, headers: { etag }, body: { iid, turnId, runId: 'run-1', menu, allowed, capabilities } };
  }

  pick(body: PickBody): Reply {
    const text = JSON.stringify([body.turnId, body.event, body.input]);
    const id = this.#honours ? body.deliveryId : undefined;
    const known = this.deliveries.find(({ deliveryId }) => deliveryId === id);
    if (known && known.body !== text) return problem({ status: 422, code: 'delivery_mismatch' });
    if (!known && body.turnId !== this.turnId) return problem({ status: 404, code: 'turn_over' });
    const taken = known ?? this.#take(body, id, text);
    if (taken === 'hang') return taken;
    if ('code' in taken) return problem(taken);
    taken.copies++;
    if (taken.copies <= (taken.answer.lose ?? 0)) return 'cut';
    return taken.answer.hang ? 'hang' : this.#state(taken);
  }

  /** @param parkMs how long the poll may wait for the receipt */
  async poll(deliveryId: string, parkMs: number): Promise<Reply> {
    const known = this.deliveries.find((each) => each.deliveryId === deliveryId);
    if (!known) return problem({ status: 404, code: 'unknown_delivery' });
    known.polls++;
    if (known.answer.outstanding === 'until_released' && !this.#released) await this.#park(parkMs);
    return this.#state(known);
  }

  get turnId(): string {
    return this.plan.turnId ?? 'turn-1';
  }

  get #honours(): boolean {
    return this.plan.clientDeliveryIds !== false;
  }

  #take(body: PickBody, id: string | undefined, text: string): Delivery | Refusal | 'hang' {
    const answer: PickAnswer = this.#nth<PickAnswer>(this.plan.picks, this.deliveries.length);
    if (answer.refuse && isRefused(answer.refuse, ++this.#refused)) return answer.refuse;
    if (answer.swallow) return 'hang';
    const { event = '', input, turnId = '' } = body;
    const deliveryId = id ?? `d-${this.deliveries.length + 1}`;
    const taken = { deliveryId, event, input, turnId, body: text, answer, copies: 0, polls: 0 };
    this.deliveries.push(taken);
    return taken;
  }

  #state({ answer, deliveryId, event, polls }: Delivery): Reply {
    const { outstanding } = answer;
    const isOut = outstanding === 'until_released' ? !this.#released : polls < (outstanding ?? 0);
    if (isOut) return { status: 202, body: { status: 'outstanding', deliveryId, event } };
    const allowed = this.plan.allowed ?? (this.plan.menu ?? usualMenu).map(({ name }) => name);
    const usual = { status: 'delivered', deliveryId, event, moved: true, turnComplete: false, allowed };
    const receipt = Object.entries({ ...usual, ...answer.receipt }).filter(([, value]) => value !== null);
    return { status: 200, body: Object.fromEntries(receipt) };
  }

  #park(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#parked.delete(done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.#parked.add(done);
    });
  }

  #nth<T extends SurfaceAnswer | PickAnswer>(list: readonly T[] | undefined, at: number): T {
    return list?.[at] ?? list?.at(-1) ?? ({} as T);
  }
}

const isRefused = ({ times }: Refusal, nth: number): boolean => times === undefined || nth <= times;

export function problem({ status, code, more }: Refusal): Reply {
  const type = `urn:turnwire:problem:${code}`;
  const body = { type, title: code, status, detail: `The kit says ${code}.`, code, ...more };
  return { status, headers: { 'content-type': 'application/problem+json', 'turnwire-code': code }, body };
}
