/** What a case is known to take: the longest begin first, so that nobody waits for them at the end. */
import type { OrchestratorCase, Step } from './case.ts';

/** Milliseconds that a wait has when it is not about time: a longer one is expected to be waited for. */
const patientMs = 15_000;

/** Programs that take their time: seconds of it in their name, or of probes and heartbeats. */
const programMs: Readonly<Record<string, number>> = {
  healthy_for_35_seconds: 35_000,
  probed_without_a_token: 30_000,
  executions_add_up: 12_000,
};

function stepMs({ pause = 0, arrived, feed, call, execution, nodeView, view, run, together = [] }: Step): number {
  const waits = [execution?.withinMs, nodeView?.withinMs, view?.withinMs, arrived?.withinMs];
  const longest = Math.max(0, ...waits.filter((ms) => ms !== undefined && ms > patientMs).map(Number));
  const aside = Math.max(0, ...together.map(stepMs));
  return (
    pause +
    (arrived?.afterMs ?? 0) +
    (feed?.forMs ?? 0) +
    (call?.forMs ?? 0) +
    longest +
    aside +
    (programMs[run ?? ''] ?? 0)
  );
}

/** Milliseconds. */
export const costOf = ({ steps }: OrchestratorCase): number => steps.reduce((sum, step) => sum + stepMs(step), 0);
