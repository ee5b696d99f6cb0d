/** What holds of every operation of the document, asked of each of them. */
import { type Operation, operations } from '../../coverage/documents.ts';
import type { Conversation } from '../conversation.ts';

const all = operations.filter(({ document }) => document === 'harness');

/** A request that would be served: nothing else is wrong with it. */
function requestOf({ method, path, takesBody }: Operation, { iid }: Conversation) {
  const reads = method === 'GET' || method === 'HEAD' ? '?view=history' : '';
  const query = path === '/agents/{name}/{iid}' ? reads : '';
  return {
    method,
    path: path.replace('{name}', 'coder').replace('{iid}', iid) + query,
    ...(takesBody ? { json: path.endsWith('/abort') ? {} : { message: 'x' } } : {}),
  };
}

export async function otherVersion(in_: Conversation): Promise<void> {
  for (const operation of all) {
    const call = { ...requestOf(operation, in_), headers: { 'turnwire-version': '2' } };
    const { status, headers } = await in_.call(call);
    const code = headers['turnwire-code'];
    if (status === 400 && code === 'unsupported_version') continue;
    const did = `answered ${operation.operationId} in version 2 with ${status} ${code}`;
    in_.wrong(did, 'answer 400 unsupported_version', 'TW-GEN-002');
  }
}

export async function noToken(in_: Conversation): Promise<void> {
  for (const operation of all.filter(({ secured }) => secured)) {
    const { status, headers } = await in_.call({ ...requestOf(operation, in_), token: null });
    if (status === 401 && headers['turnwire-code'] === 'unauthorized') continue;
    in_.wrong(`answered ${operation.operationId} without a token with ${status}`, 'answer 401', 'TW-TOK-015');
  }
}
