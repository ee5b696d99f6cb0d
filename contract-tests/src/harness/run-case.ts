/** One case from its first step to its verdict. */
import { Document } from '../run/document.ts';
import type { CaseOutcome } from '../run/outcome.ts';
import type { HarnessCase } from './case.ts';
import { Conversation } from './conversation.ts';
import type { Host, Stage } from './stage.ts';
import { CaseOver, perform } from './steps.ts';
import { NoAnswer } from './wire.ts';

/** What the subject asks the kit, and what it is answered there. */
const orchestrator = new Document('orchestrator');

/** @throws SubjectError when the subject cannot be started again */
export async function runCase(stage: Stage, host: Host, of: HarnessCase, iid: string): Promise<CaseOutcome> {
  const in_ = new Conversation(stage, host, of, iid);
  stage.orchestrator.plan(iid, in_.fill(of.turn));
  stage.model.script(iid, in_.fill(of.model));
  try {
    for (const step of of.steps) {
      in_.note(`step ${JSON.stringify(in_.fill(step)).slice(0, 200)}`);
      await perform(in_, in_.fill(step));
      // What comes after a step that went wrong would only repeat it.
      if (in_.mismatches.length > 0) break;
    }
  } catch (error) {
    if (error instanceof NoAnswer) in_.wrong(error.message, 'answer each request');
    // A program that fell over what the subject did wrong says no more than that.
    else if (!(error instanceof CaseOver) && in_.mismatches.length === 0) throw error;
  }
  for (const arrival of stage.orchestrator.of(iid)) {
    const { method, target, answered, body, at, answeredAt, operation, reply } = arrival;
    if (operation !== 'unknown') in_.mismatches.push(...orchestrator.requestViolations(arrival));
    if (reply) in_.mismatches.push(...orchestrator.ownViolations(reply));
    in_.wire.message('subject', 'orchestrator', `${method} ${target}`, JSON.stringify(body), at);
    if (answered !== undefined) in_.wire.message('orchestrator', 'subject', `${answered}`, undefined, answeredAt);
    const sent = body === undefined ? '' : JSON.stringify(body).slice(0, 200);
    in_.wire.note(`it asked the kit ${method} ${target} ${sent} → ${answered ?? 'no answer yet'}`, at);
  }
  for (const { at, body } of stage.model.of(iid)) {
    const last = JSON.stringify(body.messages.at(-1));
    const seenAt = Date.parse(at) - performance.timeOrigin;
    in_.wire.message('subject', 'model', `a step of ${body.messages.length} messages`, last, seenAt);
    in_.wire.note(`it asked the model for a step, with ${body.messages.length} messages`, seenAt);
  }
  const secrets = [stage.token, stage.modelKey];
  return { mismatches: in_.mismatches, trace: in_.wire.lines, wire: in_.wire.events, secrets };
}
