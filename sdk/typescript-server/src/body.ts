import type { IncomingMessage } from 'node:http';
import { protocol } from '@turnwire/sdk';
import type { Context } from 'hono';
import { type DocumentName, requestRules } from './document.ts';
import { Problem, type ProblemCode } from './problem.ts';

/** Deeper JSON than this is no request of ours, and would only be a way to exhaust a stack. */
const MAX_DEPTH = 128;

export interface ReadJsonOptions {
  /** The code of a body that is well-formed and wrong; `invalid` unless the operation names another. */
  readonly code?: ProblemCode;
  /** What an absent body reads as, where the spec makes it optional. */
  readonly absent?: unknown;
}

/**
 * Reads and checks a JSON body against the spec.
 * @throws Problem 400 `bad_request` (not JSON, not `application/json`), 413 `too_large`, 422 with `problems`
 */
export async function readJson<T>(
  c: Context,
  document: DocumentName,
  operationId: string,
  options: ReadJsonOptions = {},
): Promise<T> {
  const rules = requestRules(document, operationId);
  const text = await readText(c);
  if (text === '' && !rules.bodyRequired) return (options.absent ?? {}) as T;
  if (!/^application\/json *(;|$)/i.test(c.req.header('content-type') ?? '')) {
    throw new Problem('bad_request', 'the body must be application/json');
  }
  const value = parse(text);
  const problems = rules.body(value);
  if (problems.length > 0) {
    const list = problems.map(({ path, message }) => `${path || 'the body'} ${message}`).join('; ');
    throw new Problem(options.code ?? 'invalid', list, { members: { problems } });
  }
  return value as T;
}

/** Checks path, query and header parameters against the spec. @throws Problem 400 `bad_request` naming the parameter */
export function checkParameters(c: Context, document: DocumentName, operationId: string): void {
  const problems = requestRules(document, operationId).parameters((where, name) => {
    if (where === 'path') return c.req.param(name);
    if (where === 'header') return c.req.header(name);
    const values = c.req.queries(name);
    if (values && values.length > 1) throw new Problem('bad_request', `${name} is given more than once`);
    return values?.[0];
  });
  if (problems.length === 0) return;
  throw new Problem('bad_request', problems.map(({ path, message }) => `${path} ${message}`).join('; '), {
    members: { problems },
  });
}

async function readText(c: Context): Promise<string> {
  const limit = protocol.constants.bodyLimitBytes;
  const declared = Number(c.req.header('content-length') ?? 0);
  if (declared > limit) throw tooLarge(limit);
  const { incoming } = (c.env ?? {}) as { incoming?: IncomingMessage };
  const bytes = incoming ? await readIncoming(incoming, limit) : await readStream(c.req.raw.body, limit);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Problem('bad_request', 'the body is not UTF-8');
  }
}

/** Node's own stream: a web stream and a Request around it cost more than all else that a small request does. */
function readIncoming(incoming: IncomingMessage, limit: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const take = (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) chunks.push(chunk);
      else over(() => reject(tooLarge(limit)));
    };
    const end = () => over(() => resolve(Buffer.concat(chunks)));
    const broken = () => over(() => reject(new Problem('bad_request', 'the body ended before it was whole')));
    const over = (then: () => void) => {
      incoming.off('data', take).off('end', end).off('close', broken).off('error', broken);
      then();
    };
    incoming.on('data', take).on('end', end).on('close', broken).on('error', broken);
    if (incoming.readableEnded) end();
    else if (incoming.destroyed) broken();
  });
}

async function readStream(body: ReadableStream<Uint8Array> | null, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (body ?? []) as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const tooLarge = (limit: number) =>
  new Problem('too_large', `the body is larger than ${limit} bytes`, { headers: { connection: 'close' } });

function parse(text: string): unknown {
  if (depthOf(text) > MAX_DEPTH) throw new Problem('bad_request', `the body is nested deeper than ${MAX_DEPTH} levels`);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Problem('bad_request', `the body is not JSON: ${(error as Error).message}`);
  }
}

/** The deepest nesting of a JSON text, counted without recursion and before it is parsed. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let index = 0, quoted = false; index < text.length; index++) {
    const character = text[index];
    if (quoted) {
      if (character === '\\') index++;
      else if (character === '"') quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === '{' || character === '[') deepest = Math.max(deepest, ++depth);
    else if (character === '}' || character === ']') depth--;
  }
  return deepest;
}
