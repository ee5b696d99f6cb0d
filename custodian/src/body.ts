import type { IncomingMessage } from 'node:http';
import { protocol } from '@turnwire/sdk';
import { Problem } from '@turnwire/server';

/**
 * A request's body as it comes. One that announces no length is cut at the limit: what went upstream of it is no whole
 * request, and so not taken. An iterator that is given up leaves the socket alone: our own answer has to go out on it.
 */
export async function* bounded(incoming: IncomingMessage): AsyncGenerator<Buffer> {
  const limit = protocol.constants.bodyLimitBytes;
  let size = 0;
  for await (const chunk of incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.byteLength;
    if (size > limit) throw new Problem('too_large', `the body is larger than ${limit} bytes`);
    yield chunk;
  }
}
