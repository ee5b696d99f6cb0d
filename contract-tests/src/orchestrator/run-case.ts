/** One case from its first step to its verdict. */
import type { CaseOutcome } from '../harness/run-case.ts';
import { NoAnswer } from '../harness/wire.ts';
import type { OrchestratorCase, Step } from './case.ts';
import { Scene } from './scene.ts';
import type { Host } from './stage.ts';
import { CaseOver, perform } from './steps.ts';

/** @throws SubjectError when the subject cannot be started again */
export async function runCase(host: Host, of: OrchestratorCase): Promise<CaseOutcome> {
  const in_ = new Scene(host, of);
  const first: Step[] = [
    ...(of.harness ? [{ harness: of.harness }] : []),
    ...(of.workflow === undefined ? [] : [{ begin: { workflow: of.workflow } }]),
  ];
  try {
    for (const step of [...first, ...of.steps]) {
      in_.note(`step ${JSON.stringify(in_.fill(step)).slice(0, 200)}`);
      await perform(in_, step);
      // What comes after a step that went wrong would only repeat it.
      if (in_.mismatches.length > 0) break;
    }
  } catch (error) {
    if (error instanceof NoAnswer) in_.wrong(`gave no answer: ${error.message}`, 'answer each request');
    else if (!(error instanceof CaseOver)) throw error;
  }
  for (const { headers, iid, body } of in_.affair.admissions) {
    const sent = JSON.stringify(body).slice(0, 200);
    in_.trace.push(`           it admitted to ${iid} under ${headers['idempotency-key']}: ${sent}`);
  }
  for (const { iid, body } of in_.affair.aborts)
    in_.trace.push(`           it aborted ${iid}: ${JSON.stringify(body)}`);
  return { mismatches: in_.mismatches, trace: in_.trace };
}
