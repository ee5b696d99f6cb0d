import type { JsonValue } from './json.ts';

/** The closed set of refusals; the API maps each onto its problem. */
export type RefusalCode =
  | 'turn_over'
  | 'wrong_placement'
  | 'run_unavailable'
  | 'stopping'
  | 'pick_outstanding'
  | 'delivery_mismatch'
  | 'refused'
  | 'unknown_delivery'
  | 'unknown_workflow'
  | 'unknown_run'
  | 'unknown_node'
  | 'stale_instance'
  | 'unknown_execution'
  | 'target_not_found'
  | 'node_unavailable'
  | 'workflow_refused'
  | 'invalid'
  /** A parameter that is not one of ours. */
  | 'bad_request'
  | 'idempotency_mismatch'
  | 'gate_closed'
  | 'already_ended'
  | 'store_unavailable';

/**
 * The ledger (or the host) says no, and nothing was taken. `members` are further members of the problem body
 * (`problems`, `allowed`, `gates`, `accepts`, …).
 */
export class HostRefusal extends Error {
  override readonly name = 'HostRefusal';
  constructor(
    readonly code: RefusalCode,
    readonly detail: string,
    readonly members: Readonly<Record<string, JsonValue>> = {},
  ) {
    super(`${code}: ${detail}`);
  }
}
