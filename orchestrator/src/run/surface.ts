import { conversationOf } from './conversations.ts';
import { allowedNow } from './deliveries.ts';
import type { Env, Run } from './draft.ts';
import { turnOver } from './picks.ts';
import { HostRefusal } from './refusal.ts';
import type { SurfaceView } from './views.ts';

/** TW-SUR-001: what a Harness reads before and during a turn. @throws HostRefusal `turn_over`, `wrong_placement` */
export function surfaceOf(run: Run, env: Env, placement: string, iid: string): SurfaceView {
  const turn = run.state.turns.find((one) => one.iid === iid && one.phase === 'open');
  if (!turn) throw turnOver();
  if (turn.placement !== placement) throw new HostRefusal('wrong_placement', 'this turn runs in another placement');
  const seen = { ...run, env };
  return {
    iid,
    turnId: turn.turnId,
    runId: run.state.runId,
    menu: conversationOf(seen, iid)?.menu ?? [],
    allowed: turn.heldFault ? [] : allowedNow(seen, turn),
    capabilities: { clientDeliveryIds: true },
  };
}
