/** One case from its first step to its verdict. */

import type { Mismatch } from '../client/seen.ts';
import { NoAnswer } from '../harness/wire.ts';
import { Document } from '../run/document.ts';
import type { CaseOutcome } from '../run/outcome.ts';
import type { OrchestratorCase, Step } from './case.ts';
import { Scene } from './scene.ts';
import type { Host } from './stage.ts';
import { CaseOver, perform } from './steps.ts';

const harness = new Document('harness');

/** What it sent to the kit's Harnesses for this case, and what the kit answered it, against the document. */
function betweenThem(in_: Scene): Mismatch[] {
  const iids = new Set([...in_.affair.admissions, ...in_.affair.aborts].map(({ iid }) => iid));
  const doubles = [in_.host.harness, ...[...in_.nodes.values()].map((node) => node.harness)];
  const of = <One extends { readonly iid: string }>(all: readonly One[]) => all.filter(({ iid }) => iids.has(iid));
  const answers = doubles.flatMap(({ said }) => of(said));
  for (const { answer, at } of answers) {
    const label = [answer.status, answer.headers['turnwire-code']].join(' ').trim();
    in_.wire.message('harness', 'subject', label, answer.text, at);
    in_.wire.note(`the kit's harness answered ${answer.method} ${answer.path} ${label}`, at);
  }
  return [
    ...doubles.flatMap(({ heard }) => of(heard)).flatMap(({ sent }) => harness.requestViolations(sent)),
    ...answers.flatMap(({ answer }) => harness.ownViolations(answer)),
  ];
}

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
    if (error instanceof NoAnswer) in_.wrong(error.message, 'answer each request');
    else if (!(error instanceof CaseOver)) throw error;
  } finally {
    for (const node of in_.nodes.values()) await node.down();
  }
  in_.mismatches.push(...betweenThem(in_));
  for (const { headers, iid, name, body, at } of in_.affair.admissions) {
    in_.wire.message('subject', 'harness', `POST /agents/${name}/${iid}`, JSON.stringify(body), at);
    const sent = JSON.stringify(body).slice(0, 200);
    in_.wire.note(`it admitted to ${iid} under ${headers['idempotency-key']}: ${sent}`, at);
  }
  for (const { submissionId, at } of in_.affair.streams)
    in_.wire.message('subject', 'harness', `reads ${submissionId}`, undefined, at);
  for (const { iid, name, body, at } of in_.affair.aborts) {
    in_.wire.message('subject', 'harness', `POST /agents/${name}/${iid}/abort`, JSON.stringify(body), at);
    in_.wire.note(`it aborted ${iid}: ${JSON.stringify(body)}`, at);
  }
  const secrets = [
    ...Object.values(host.tokens),
    host.signingKey,
    ...[...in_.nodes.values()].map(({ token }) => token),
  ];
  return { mismatches: in_.mismatches, trace: in_.wire.lines, wire: in_.wire.events, secrets };
}
