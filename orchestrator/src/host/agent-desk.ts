/** The agent surface: what a Harness asks for a turn, under the placement of its token. */
import { answerOf } from '../run/deliveries.ts';
import { hashOf } from '../run/hash.ts';
import { turnOver } from '../run/picks.ts';
import { HostRefusal } from '../run/refusal.ts';
import type { DeliveryRow } from '../run/rows.ts';
import { surfaceOf } from '../run/surface.ts';
import type { DeliveryAnswer, PickBody, SurfaceView } from '../run/views.ts';
import { asked } from './asked.ts';
import type { Cell } from './cell.ts';
import type { RunTable } from './run-table.ts';

export class AgentDesk {
  readonly #table: RunTable;

  constructor(table: RunTable) {
    this.#table = table;
  }

  async available(iid: string): Promise<void> {
    this.#table.mustServe();
    (await this.#cellOf(iid))?.mustRun();
  }

  async surface(placement: string, iid: string): Promise<SurfaceView> {
    this.#table.mustServe();
    const cell = await this.#cellOf(iid);
    if (!cell) throw turnOver();
    const run = cell.mustRun();
    return surfaceOf(run, this.#table.env(run.state), placement, iid);
  }

  /** The loaded run of a conversation, if it is loaded: one that cannot be read is found by its rows. */
  async #cellOf(iid: string): Promise<Cell | undefined> {
    const known = this.#table.cellOf(iid);
    if (known) return known;
    const turn = await asked(this.#table.options.store.turnOf(iid));
    return turn && turn.endedAt === undefined ? this.#table.cell(turn.runId) : undefined;
  }

  async pick(placement: string, iid: string, body: PickBody): Promise<DeliveryAnswer> {
    this.#table.mustServe();
    const { store } = this.#table.options;
    const { turnId, event, input, deliveryId } = body;
    const bodyHash = hashOf({ turnId, event, input });
    const recorded = () => (deliveryId === undefined ? undefined : store.delivery(iid, deliveryId));
    const cell = await this.#cellOf(iid);
    if (cell) {
      return asked(
        cell.submit(async () => {
          const known = await recorded();
          const request = { placement, iid, body, bodyHash, ...(known === undefined ? {} : { known }) };
          return { type: 'pick', request };
        }),
      );
    }
    const known = await asked(Promise.resolve(recorded()));
    if (!known) throw turnOver();
    mustBePlaced(known, placement);
    if (known.bodyHash !== bodyHash) {
      throw new HostRefusal('delivery_mismatch', `delivery ${known.deliveryId} was made with another body`);
    }
    return answerOf(known);
  }

  async delivery(
    placement: string,
    iid: string,
    deliveryId: string,
    waitMs: number,
    signal?: AbortSignal,
  ): Promise<DeliveryAnswer> {
    const parked = this.#table.parked.park(`${iid}/${deliveryId}`);
    const timer = new AbortController();
    const end = () => timer.abort();
    signal?.addEventListener('abort', end, { once: true });
    try {
      const first = await this.#poll(placement, iid, deliveryId);
      if (first.status === 200 || waitMs <= 0 || signal?.aborted) return first;
      await Promise.race([parked.woken, this.#table.options.clock.sleep(waitMs, timer.signal)]);
      return await this.#poll(placement, iid, deliveryId);
    } finally {
      signal?.removeEventListener('abort', end);
      timer.abort();
      parked.end();
    }
  }

  /** TW-DLV-001, TW-DLV-002. */
  async #poll(placement: string, iid: string, deliveryId: string): Promise<DeliveryAnswer> {
    this.#table.mustServe();
    const cell = await this.#cellOf(iid);
    cell?.mustRun();
    const row = await asked(this.#table.options.store.delivery(iid, deliveryId));
    const turn = cell?.state?.turns.find((one) => one.iid === iid && one.phase === 'open');
    const owner = row ?? turn;
    if (!owner) throw turnOver();
    mustBePlaced(owner, placement);
    if (row) return answerOf(row);
    throw new HostRefusal('unknown_delivery', `the delivery ${deliveryId} was not taken so far`);
  }
}

function mustBePlaced(owner: Pick<DeliveryRow, 'placement'>, placement: string): void {
  if (owner.placement !== placement) throw new HostRefusal('wrong_placement', 'this turn runs in another placement');
}
