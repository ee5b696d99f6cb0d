/** What holds of every operation of the document, asked of each of them. */
import { type Operation, operations } from '../coverage/documents.ts';
import type { Answer } from '../harness/wire.ts';
import type { Call } from './case.ts';
import type { Scene } from './scene.ts';

const all = operations.filter(({ document }) => document === 'orchestrator');

/** More than the 8 MiB that a body may have. */
const tooManyBytes = 9 * 1024 * 1024;

/** Ids of things that are not there: what is asked here is answered before they are looked for. */
const ids: Readonly<Record<string, string>> = {
  ...{ iid: 'kit-none', deliveryId: 'kit-none', name: 'flow', runId: 'run_none', gate: 'merge' },
  ...{ nodeId: 'local', executionId: 'exe_none' },
};

function callOf({ method, path, takesBody, token }: Operation, { host }: Scene): Call {
  const { instance, placement } = host.tokens;
  return {
    method,
    path: path.replaceAll(/\{(\w+)\}/g, (_, id: string) => ids[id] ?? 'none'),
    ...(takesBody ? { json: {} } : {}),
    token: token === undefined ? null : token === 'placementToken' ? placement : instance,
    // A feed that is served all the same does not end.
    forMs: 1_000,
  };
}

type Asked = (operation: Operation, in_: Scene) => Call;

async function each(
  in_: Scene,
  of: readonly Operation[],
  call: Asked,
  wanted: { status: number; code: string; requirement: string },
): Promise<void> {
  for (const operation of of) {
    const answer: Answer = await in_.call(call(operation, in_));
    const { status, headers } = answer;
    const code = headers['turnwire-code'];
    if (status === wanted.status && code === wanted.code) continue;
    const did = `answered ${operation.operationId} with ${status} ${code ?? ''}`.trim();
    in_.wrong(did, `answer ${wanted.status} ${wanted.code}`, wanted.requirement);
  }
}

const secured = all.filter((operation) => operation.secured);

export const otherVersion = (in_: Scene): Promise<void> =>
  each(in_, all, (one) => ({ ...callOf(one, in_), headers: { 'turnwire-version': '2' } }), {
    ...{ status: 400, code: 'unsupported_version', requirement: 'TW-GEN-002' },
  });

export const noToken = (in_: Scene): Promise<void> =>
  each(in_, secured, (one) => ({ ...callOf(one, in_), token: null }), {
    ...{ status: 401, code: 'unauthorized', requirement: 'TW-GEN-010' },
  });

export const otherToken = (in_: Scene): Promise<void> => {
  const { instance, placement } = in_.host.tokens;
  const other = ({ token }: Operation) => (token === 'placementToken' ? instance : placement);
  return each(in_, secured, (one) => ({ ...callOf(one, in_), token: other(one) }), {
    ...{ status: 403, code: 'forbidden', requirement: 'TW-GEN-011' },
  });
};

export const tooLarge = (in_: Scene): Promise<void> =>
  each(
    in_,
    all.filter(({ takesBody }) => takesBody),
    (one) => {
      const { json: _, ...call } = callOf(one, in_);
      return { ...call, bytes: tooManyBytes };
    },
    { status: 413, code: 'too_large', requirement: 'TW-GEN-009' },
  );
