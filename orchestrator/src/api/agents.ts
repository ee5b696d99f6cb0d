/** The agent surface: what a Harness asks through its Custodian, with a placement token. */
import { checkParameters, readJson, sha256 } from '@turnwire/server';
import type { Context } from 'hono';
import type { DeliveryAnswer, PickBody, RunHost } from '../host/port.ts';
import { placementOf } from './auth.ts';
import type { Deps } from './deps.ts';
import { parameter } from './parameters.ts';
import { asked } from './refusals.ts';
import { stopping } from './service.ts';

export const readSurface =
  ({ service, tokens }: Deps) =>
  async (c: Context) => {
    const placement = placementOf(c, tokens);
    const host = service.host('run_unavailable');
    checkParameters(c, 'orchestrator', 'readSurface');
    const body = JSON.stringify(await asked(() => host.surface(placement, parameter(c, 'iid'))));
    const etag = `"${sha256(body)}"`;
    const headers = { etag, 'cache-control': 'no-cache' };
    if (names(c.req.header('if-none-match'), etag)) return c.body(null, 304, headers); // TW-SUR-002
    return c.body(body, 200, { ...headers, 'content-type': 'application/json' });
  };

export const pick =
  ({ service, tokens }: Deps) =>
  async (c: Context) => {
    const placement = placementOf(c, tokens);
    const host = service.host('run_unavailable');
    checkParameters(c, 'orchestrator', 'pick');
    const iid = parameter(c, 'iid');
    const body = await pickBody(c, host, iid);
    return written(c, await asked(() => host.pick(placement, iid, body)));
  };

/** TW-PIC-011: a run that cannot take anything says so before a bad body does. A good body is left to the host's own check. */
async function pickBody(c: Context, host: RunHost, iid: string): Promise<PickBody> {
  try {
    return await readJson<PickBody>(c, 'orchestrator', 'pick');
  } catch (problem) {
    await asked(() => host.available(iid));
    throw problem;
  }
}

export const readDelivery =
  ({ service, tokens }: Deps) =>
  async (c: Context) => {
    const placement = placementOf(c, tokens);
    const host = service.host('run_unavailable');
    checkParameters(c, 'orchestrator', 'readDelivery');
    const waitMs = Number(c.req.query('wait') ?? 0) * 1_000;
    const ask = (signal?: AbortSignal) =>
      asked(() => host.delivery(placement, parameter(c, 'iid'), parameter(c, 'deliveryId'), waitMs, signal));
    if (waitMs === 0) return written(c, await ask());
    const { signal, done } = service.waiting(c.req.raw.signal);
    const answer = await ask(signal).finally(done);
    if (answer.status === 202 && service.phase === 'stopping') throw stopping();
    return written(c, answer);
  };

function written(c: Context, answer: DeliveryAnswer): Response {
  switch (answer.status) {
    case 200: // TW-PIC-001, TW-DLV-001
      return c.json(answer.receipt, 200);
    case 202: // TW-PIC-002, TW-DLV-001
      return c.json(answer.outstanding, 202);
  }
}

/** RFC 9110 13.1.2: a list of entity tags or `*`, compared weakly. */
function names(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag);
}
