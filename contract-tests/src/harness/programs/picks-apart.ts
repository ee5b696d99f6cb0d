/** The next pick is sent only after the one before it has its receipt. */
import type { Conversation } from '../conversation.ts';

export async function picksDoNotOverlap(in_: Conversation): Promise<void> {
  const arrivals = in_.stage.orchestrator.of(in_.iid).filter(({ operation }) => operation !== 'surface');
  let outstanding = false;
  for (const { operation, answered } of arrivals) {
    if (operation === 'pick' && outstanding) {
      in_.wrong('sent a pick while the one before it was outstanding', 'wait for its receipt', 'TW-TRN-008');
      return;
    }
    outstanding = answered !== 200;
  }
}
