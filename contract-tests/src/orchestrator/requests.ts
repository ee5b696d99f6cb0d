/** The requests of the steps: as a person, and as a Harness for a turn of its own. */
import type { Answer } from '../harness/wire.ts';
import type { Begin, Call, Gate, Pick, Poll, Step } from './case.ts';
import type { Scene } from './scene.ts';
import { derived } from './stage.ts';

type Sent = { readonly token?: string | null; readonly headers?: Call['headers'] };

const keyed = (key: string | undefined, headers: Call['headers'] = {}) =>
  key === undefined ? headers : { 'idempotency-key': key, ...headers };

const credential = ({ token }: Sent, usual: string): { token: string | null } => ({
  token: token === undefined ? usual : token,
});

export function beginCall(
  in_: Scene,
  { workflow = in_.of.workflow ?? 'flow', input, key, headers, ...sent }: Begin,
): Call {
  return {
    method: 'POST',
    path: `/workflows/${encodeURIComponent(workflow)}/runs`,
    json: { input: input ?? { task: in_.known.task } },
    headers: keyed(key, headers),
    ...credential(sent, in_.host.tokens.instance),
  };
}

interface Turn {
  readonly node?: string;
  readonly iid?: string;
  readonly turnId?: string;
}

const turnOf = (in_: Scene, name = 'turn'): Turn => (in_.known[name] ?? {}) as Turn;

const placementOf = ({ host }: Scene, { node = 'local' }: Turn): string => derived(host.signingKey).placement(node);

export function pickCall(in_: Scene, pick: Pick): Call {
  const turn = turnOf(in_, pick.of);
  const { iid = turn.iid, turnId = turn.turnId, deliveryId, event, input = {}, body = {}, headers } = pick;
  const usual = { turnId, ...(deliveryId === undefined ? {} : { deliveryId }), event, input };
  const json = Object.fromEntries(Object.entries({ ...usual, ...body }).filter(([, value]) => value !== null));
  return {
    method: 'POST',
    path: `/agents/${encodeURIComponent(String(iid))}/events`,
    json,
    ...(headers && { headers }),
    ...credential(pick, placementOf(in_, turn)),
  };
}

export function pollCall(in_: Scene, poll: Poll): Call {
  const { iid = turnOf(in_, poll.of).iid, deliveryId, wait } = poll;
  const query = wait === undefined ? '' : `?wait=${wait}`;
  return {
    path: `/agents/${encodeURIComponent(String(iid))}/deliveries/${encodeURIComponent(deliveryId)}${query}`,
    ...credential(poll, placementOf(in_, turnOf(in_, poll.of))),
  };
}

export function surfaceCall(in_: Scene, surface: NonNullable<Step['surface']>): Call {
  const { iid = turnOf(in_, surface.of).iid, etag, headers } = surface;
  return {
    path: `/agents/${encodeURIComponent(String(iid))}/surface`,
    headers: { ...(etag === undefined ? {} : { 'if-none-match': etag }), ...headers },
    ...credential(surface, placementOf(in_, turnOf(in_, surface.of))),
  };
}

export const runIdOf = (in_: Scene, name = 'run'): string =>
  String((in_.known[name] as { runId?: string } | undefined)?.runId);

export function gateCall(in_: Scene, { run, gate, event, input = {}, key, headers, ...sent }: Gate): Call {
  return {
    method: 'POST',
    path: `/runs/${runIdOf(in_, run)}/gates/${encodeURIComponent(gate)}/events`,
    json: { event, input },
    headers: keyed(key, headers),
    ...credential(sent, in_.host.tokens.instance),
  };
}

export function cancelCall(in_: Scene, { run, reason, ...sent }: NonNullable<Step['cancel']>): Call {
  return {
    method: 'POST',
    path: `/runs/${runIdOf(in_, run)}/cancel`,
    json: reason === undefined ? {} : { reason },
    ...credential(sent, in_.host.tokens.instance),
  };
}

export interface Frame {
  readonly id?: string;
  readonly type: string;
  readonly data: Record<string, unknown>;
}

/** The frames of a feed; comments are counted. */
export function framesOf({ text }: Answer): { frames: Frame[]; comments: number } {
  const blocks = text.split('\n\n').filter((block) => block.trim() !== '');
  const comments = blocks.filter((block) => block.startsWith(':')).length;
  const frames = blocks.flatMap((block) => {
    const lines = block.split('\n').map((line) => /^(\w+): ?(.*)$/.exec(line));
    const field = (name: string) => lines.find((line) => line?.[1] === name)?.[2];
    const data = field('data');
    const id = field('id');
    // A frame that was cut by the kit's own end of reading is not looked at.
    if (data === undefined || !isJson(data)) return [];
    return [{ ...(id === undefined ? {} : { id }), type: field('event') ?? 'message', data: JSON.parse(data) }];
  });
  return { frames, comments };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
