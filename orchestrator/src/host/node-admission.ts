/** One attempt to admit at a node: what would be re-sent is told to the ledger, which reads the node's record. */
import type { Retry } from '@turnwire/sdk';
import type { NodeRecord } from '../nodes/port.ts';
import type { RefusedEvent } from '../run/holding.ts';

/** The node did not take it, and whether it is sent again is not for the SDK's ladder to say. */
export class NotTakenByNode extends Error {
  override readonly name = 'NotTakenByNode';
  constructor(readonly refusal: Omit<RefusedEvent, 'turnId' | 'key'>) {
    super(refusal.reason);
  }
}

export interface Surfacing {
  signal: AbortSignal;
  onRetry(retry: Retry): void;
  /** What was surfaced, if something was: the call was ended for it. */
  refusal(): NotTakenByNode | undefined;
  end(): void;
}

/**
 * TW-EXE-009, TW-EXE-014: what is proved not taken, and our `draining`, surface at once. Of a resident node a copy in doubt does too, so
 * that the next one goes to the address of then. A full queue is waited for where it is.
 */
export function surfacing(node: NodeRecord, inDoubt: boolean, signal: AbortSignal): Surfacing {
  const controller = new AbortController();
  const abort = () => controller.abort();
  const { instanceId, moves } = node;
  let refusal: NotTakenByNode | undefined;
  let doubt = inDoubt;
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return {
    signal: controller.signal,
    onRetry: ({ certainty, last, reason }) => {
      doubt ||= certainty === 'unknown' || certainty === 'delivered';
      const draining = last === 'draining';
      if (certainty === 'answered' && !draining) return;
      if (doubt && node.deployment === 'serverless') return;
      const code = doubt ? 'unknown' : draining ? 'draining' : 'unreachable';
      refusal = new NotTakenByNode({ tried: { instanceId, moves }, code, reason, last, inDoubt: doubt });
      abort();
    },
    refusal: () => refusal,
    end: () => signal.removeEventListener('abort', abort),
  };
}
