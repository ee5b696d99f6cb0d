import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  createInstance,
  type IHttpConfig,
  type IHttpRequest,
  type IHttpResponse,
  ProblemJsonError,
} from '@stoplight/prism-http';
import { type DocumentName, operationsOf, silent } from './documents.ts';

/** A Prism mock of one document on loopback: it answers with the document's own examples. */
export interface Mock {
  readonly url: string;
  /** What was wrong with the requests so far, and with the examples that were answered. */
  readonly violations: string[];
  close(): Promise<void>;
}

/**
 * Starts a mock. `Prefer: code=503, example=draining` chooses the answer; without it, it is the first good one. A request
 * that the document does not allow gets the document's 401, 422 or 400, whatever it prefers.
 *
 * @param port 0: a free one.
 * @throws The error of `listen`, when the port is taken.
 */
export async function startMock(document: DocumentName, port = 0): Promise<Mock> {
  const operations = await operationsOf(document);
  const prism = createInstance(configFor({}), { logger: silent });
  const violations: string[] = [];
  const server = createServer(async (request, response) => {
    const input = await inputOf(request);
    const outcome = await prism.request(input, operations, configFor(request.headers))();
    if (outcome._tag === 'Left') return refuse(response, outcome.left);
    const { output, validations } = outcome.right;
    const wrong = [...validations.input.map(said('request')), ...validations.output.map(said('response'))];
    violations.push(...wrong.map((each) => `${input.method} ${input.url.path} ${output.statusCode}: ${each}`));
    answer(response, output);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    violations,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** A problem is a problem whatever the client accepts: an error is not renegotiated. */
function configFor({ prefer, accept }: IncomingHttpHeaders): IHttpConfig {
  const asked = Object.fromEntries(
    [...String(prefer ?? '').matchAll(/(\w+)\s*=\s*"?([^\s",;]+)/g)].map(([, name = '', value]) => [name, value]),
  );
  return {
    isProxy: false,
    validateRequest: true,
    validateResponse: true,
    checkSecurity: true,
    errors: false,
    upstreamProxy: undefined,
    mock: {
      dynamic: asked.dynamic === 'true',
      ...(asked.code === undefined ? {} : { code: Number(asked.code) }),
      ...(asked.example === undefined ? {} : { exampleKey: asked.example }),
      ...(asked.seed === undefined ? {} : { seed: asked.seed }),
      ...(accept === undefined ? {} : { mediaTypes: [...accept.split(/\s*,\s*/), 'application/problem+json'] }),
    },
  };
}

async function inputOf(request: IncomingMessage): Promise<IHttpRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://mock');
  return {
    method: (request.method ?? 'GET').toLowerCase() as IHttpRequest['method'],
    url: { path: pathname, query: Object.fromEntries(searchParams) },
    headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)])),
    ...(text === '' ? {} : { body: jsonOr(text) }),
  };
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function answer(response: ServerResponse, { statusCode, headers = {}, body }: IHttpResponse): void {
  response.statusCode = statusCode;
  for (const [name, value] of Object.entries(headers)) if (value !== null) response.setHeader(name, value);
  // Prism has one value per header of a status; the code is that of the example, as it is on the wire.
  const code = typeof body === 'object' && body !== null && 'code' in body ? body.code : undefined;
  if (typeof code === 'string' && response.hasHeader('Turnwire-Code')) response.setHeader('Turnwire-Code', code);
  const isJson = /json/.test(String(response.getHeader('content-type')));
  response.end(body === undefined ? undefined : isJson ? JSON.stringify(body) : String(body));
}

/** Prism's own refusal: no such path, status or example. It is nobody's answer, and carries no `Turnwire-Version`. */
function refuse(response: ServerResponse, error: Error): void {
  const problem = ProblemJsonError.toProblemJson(error);
  response.writeHead(problem.status, { 'content-type': 'application/problem+json' });
  response.end(JSON.stringify(problem));
}

const said =
  (side: string) =>
  ({ path = [], message }: { path?: string[]; message: string }): string =>
    [side, path.join('.'), message].filter((part) => part !== '').join(' ');
