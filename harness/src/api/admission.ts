/** Admit and abort, between HTTP and the Harness. */
import { protocol } from '@turnwire/sdk';
import { checkParameters, Problem, readJson } from '@turnwire/server';
import type { Context } from 'hono';
import { bodyDigest } from '../conversation/canonical.ts';
import { type Admitted, drainingProblem, type Harness } from '../host/harness.ts';
import type { Metrics } from '../metrics.ts';
import { type AdmissionBody, type Agents, resolvePrompt } from './agents.ts';

export interface AdmissionOptions {
  readonly publicUrl?: string;
  readonly agents: Agents;
  readonly knownModel: (model: string) => boolean;
  readonly metrics: Metrics;
}

/** TW-ADM-002 and what it may be refused for. @throws Problem */
export async function admit(c: Context, harness: Harness, options: AdmissionOptions): Promise<Response> {
  try {
    const admitted = await takeIn(c, harness, options);
    options.metrics.admission(admitted.replayed ? 'replayed' : 'admitted');
    if (admitted.replayed) c.header(protocol.headers.replayed, 'true');
    const { submissionId, offset } = admitted;
    return c.json({ streamUrl: streamUrl(c, options.publicUrl, submissionId), offset, submissionId }, 202);
  } catch (error) {
    options.metrics.admission('refused');
    throw error;
  }
}

async function takeIn(c: Context, harness: Harness, options: AdmissionOptions): Promise<Admitted> {
  if (harness.draining.signal.aborted) throw drainingProblem();
  checkParameters(c, 'harness', 'admit');
  const { name = '', iid = '' } = c.req.param();
  const expected = c.req.header(protocol.headers.expectStore);
  if (expected !== undefined && expected !== harness.folder.store) {
    throw new Problem('store_changed', 'this Harness has another data folder; nothing was queued');
  }
  const body = await unlessDraining(harness, readJson<AdmissionBody>(c, 'harness', 'admit'));
  const key = c.req.header(protocol.headers.idempotencyKey);
  return harness.admit({
    name,
    iid,
    digest: bodyDigest(body),
    ...(key === undefined ? {} : { key }),
    ...(body.turnId === undefined ? {} : { turnId: body.turnId }),
    prompt: () => ({ ...resolvePrompt(name, body, options.agents, options.knownModel), ...traceOf(c) }),
  });
}

/** The trace that the caller's work belongs to; a malformed one is none. */
function traceOf(c: Context): { traceparent?: string } {
  const traceparent = c.req.header('traceparent') ?? '';
  return /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/.test(traceparent) ? { traceparent } : {};
}

/** A drain that begins while a body comes in answers at once; the rest of the body is thrown away (TW-DRN-001). */
async function unlessDraining<T>(harness: Harness, body: Promise<T>): Promise<T> {
  const { signal } = harness.draining;
  let drained: () => void = () => undefined;
  const draining = new Promise<never>((_, reject) => {
    drained = () => reject(drainingProblem());
    signal.addEventListener('abort', drained);
  });
  try {
    return await Promise.race([body, draining]);
  } finally {
    signal.removeEventListener('abort', drained);
    // The one that lost may still fail; nobody waits for it any more.
    body.catch(() => undefined);
  }
}

/** Absolute, on the public URL or the address that was asked (TW-ADM-011). */
function streamUrl(c: Context, publicUrl: string | undefined, submissionId: string): string {
  const { name, iid } = c.req.param();
  const origin = publicUrl ?? new URL(c.req.url).origin;
  return `${origin}/agents/${name}/${iid}?view=updates&submission=${submissionId}`;
}

interface AbortBody {
  readonly submissionId?: string;
  readonly turnId?: string;
}

/** TW-ABT-001 to TW-ABT-005. @throws Problem 400, 422 */
export async function abortConversation(c: Context, harness: Harness): Promise<Response> {
  checkParameters(c, 'harness', 'abortConversation');
  const { name = '', iid = '' } = c.req.param();
  const { submissionId, turnId } = await readJson<AbortBody>(c, 'harness', 'abortConversation', { absent: {} });
  const submissionIds = await harness.abort(name, iid, {
    ...(submissionId === undefined ? {} : { submissionId }),
    ...(turnId === undefined ? {} : { turnId }),
  });
  return c.json({ aborted: submissionIds.length > 0, submissionIds });
}
