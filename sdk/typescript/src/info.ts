import { ask, objectWith } from './ask.ts';
import type { Answer } from './certainty.ts';
import type { CallOptions, Connection } from './client.ts';
import type { HarnessInfo, OrchestratorInfo } from './wire.ts';

/**
 * `/.well-known/turnwire` of a Harness: store and capabilities (seat `harness_read`, 30 s; TW-GEN-016).
 *
 * @throws TurnwireFault the code of a final answer, `unreachable`, `aborted`.
 */
export async function harnessInfo(connection: Connection, options?: CallOptions): Promise<HarnessInfo> {
  return info(connection, 'getHarnessInfo', 'harness_read', objectWith<HarnessInfo>('role', 'store'), options);
}

/** `/.well-known/turnwire` of an Orchestrator (seat `orchestrator_read`, 30 s). Faults as {@link harnessInfo}. */
export async function orchestratorInfo(connection: Connection, options?: CallOptions): Promise<OrchestratorInfo> {
  return info(connection, 'getOrchestratorInfo', 'orchestrator_read', objectWith<OrchestratorInfo>('role'), options);
}

/** `GET /healthz`, one attempt of 5 s: resolves while the process serves, also while it drains (TW-GEN-023). */
export async function health(connection: Connection, options?: CallOptions): Promise<void> {
  await info(connection, 'getHealth', 'probe', emptyOf, options);
}

/**
 * `GET /readyz`, one attempt of 5 s: resolves when it takes work (TW-GEN-024), else fault `starting`, `draining`, `stopping`.
 * No seat needs it before its first request (TW-RET-024).
 */
export async function readiness(connection: Connection, options?: CallOptions): Promise<void> {
  await info(connection, 'getReadiness', 'probe', emptyOf, options);
}

/** `GET /metrics`, one attempt of 5 s: counters in Prometheus' text format. */
export async function metrics(connection: Connection, options?: CallOptions): Promise<string> {
  const withAccept = { ...options, headers: { accept: 'text/plain', ...options?.headers } };
  return info(connection, 'getMetrics', 'probe', textOf, withAccept);
}

async function info<Value>(
  connection: Connection,
  operation: string,
  seat: string,
  decode: (answer: Answer) => Value | undefined,
  options: CallOptions | undefined,
): Promise<Value> {
  return (await ask(connection, { seat, call: { operation }, decode }, options)).value;
}

/** That it answered is all that is asked. */
const emptyOf = (): true => true;

const textOf = (answer: Answer): string | undefined => (typeof answer.body === 'string' ? answer.body : undefined);
