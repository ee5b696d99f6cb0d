import { Problem, type ProblemMore } from '@turnwire/server';
import { HostRefusal, type RefusalCode } from '../host/port.ts';
import { NODE_RETRY_AFTER_SECONDS } from '../limits.ts';
import { retryAfter, stopping } from './service.ts';

/** Runs what a handler asks of the host; a refusal comes out as the problem that the spec has for it. */
export async function asked<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof HostRefusal) throw problemOf(error);
    throw error;
  }
}

/** The wire's word for each refusal of the host, row by row. */
export function problemOf(refusal: HostRefusal): Problem {
  const more = moreOf(refusal.code);
  if (refusal.code === 'stopping') return stopping();
  return new Problem(refusal.code, refusal.detail, { ...more, members: refusal.members });
}

function moreOf(code: RefusalCode): ProblemMore {
  switch (code) {
    case 'stopping': // TW-DRN-006
      return {};
    case 'run_unavailable': // TW-SUR-007, TW-PIC-010: not taken
    case 'store_unavailable': // TW-DUR-023: nothing was acknowledged
      return { status: 503, headers: retryAfter() };
    case 'node_unavailable': // TW-EXE-004
      return { status: 503, headers: { 'retry-after': String(NODE_RETRY_AFTER_SECONDS) } };
    case 'bad_request': // TW-GEN-026
      return { status: 400 };
    case 'turn_over': // TW-SUR-003, TW-PIC-006, TW-DLV-002
    case 'unknown_delivery': // TW-DLV-002
    case 'unknown_workflow':
    case 'unknown_run': // TW-RUN-005
    case 'unknown_node': // TW-NOD-007, TW-NOD-019, TW-NOD-020
    case 'unknown_execution': // TW-EXE-019
    case 'target_not_found': // TW-EXE-007
    case 'gate_closed': // TW-GAT-003, TW-GAT-004
      return { status: 404 };
    case 'wrong_placement': // TW-SUR-004, TW-PIC-016
      return { status: 403 };
    case 'pick_outstanding': // TW-PIC-005
    case 'idempotency_mismatch': // TW-GEN-019
    case 'already_ended': // TW-RUN-005
    case 'stale_instance': // TW-NOD-008
      return { status: 409 };
    case 'delivery_mismatch': // TW-PIC-004
    case 'refused': // TW-PIC-007, TW-GAT-005
    case 'workflow_refused': // TW-RUN-003
    case 'invalid': // TW-RUN-002
      return { status: 422 };
  }
}
