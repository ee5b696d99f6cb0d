/** One case from its first step to its verdict. */

import { NoAnswer } from '../harness/wire.ts';
import { freePort } from '../run/free-port.ts';
import type { CaseOutcome } from '../run/outcome.ts';
import type { CustodianCase } from './case.ts';
import { Scene } from './scene.ts';
import type { Host } from './stage.ts';
import { CaseOver, perform } from './steps.ts';

/** Characters of a step that the transcript shows. */
const shown = 200;

/** @throws SubjectError when the subject cannot be started again */
export async function runCase(host: Host, of: CustodianCase): Promise<CaseOutcome> {
  const in_ = new Scene(host, of);
  in_.affair.plan(of.upstream ?? []);
  try {
    if (of.own) in_.healthPort = await freePort();
    if (of.own && !of.unstarted) await host.process?.start(in_.fill(of.own));
    for (const step of of.steps) {
      in_.note(`step ${JSON.stringify(in_.fill(step)).slice(0, shown)}`);
      await perform(in_, step);
      // What comes after a step that went wrong would only repeat it.
      if (in_.mismatches.length > 0) break;
    }
  } catch (error) {
    if (error instanceof NoAnswer) in_.wrong(error.message, 'answer each request');
    else if (!(error instanceof CaseOver)) throw error;
  }
  in_.affair.release();
  if (of.own) in_.keptSecretsInLog();
  in_.upstreamSeen();
  return { mismatches: in_.mismatches, trace: in_.wire.lines, wire: in_.wire.events, secrets: host.secrets };
}
