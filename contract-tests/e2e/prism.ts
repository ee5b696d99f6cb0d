import { fileURLToPath } from 'node:url';
import { createInstance, getHttpOperationsFromSpec } from '@stoplight/prism-http';
import type { Exchange } from './recorder.ts';

type Operations = Awaited<ReturnType<typeof getHttpOperationsFromSpec>>;
type Method = 'get' | 'post' | 'put' | 'delete' | 'head';

/** A way in which an exchange is not what the spec says. */
export interface Violation {
  readonly where: string;
  readonly side: 'request' | 'response';
  readonly message: string;
}

/**
 * Holds recorded exchanges to a document with Prism's own router and validators; what Prism would send upstream is
 * answered with what was recorded, so that nothing is sent twice and no long-poll passes through it.
 */
export class PrismWatch {
  private constructor(private readonly operations: Operations) {}

  static async of(document: 'harness' | 'orchestrator' | 'custodian'): Promise<PrismWatch> {
    const file = fileURLToPath(new URL(`../../spec/openapi/${document}.yaml`, import.meta.url));
    return new PrismWatch(await getHttpOperationsFromSpec(file));
  }

  async check(exchange: Exchange): Promise<Violation[]> {
    const where = `${exchange.method} ${exchange.url.replace(/\?.*/, '')} ${exchange.status}`;
    const response = {
      statusCode: exchange.status,
      headers: flat(exchange.responseHeaders),
      body: bodyOf(exchange.responseHeaders, exchange.responseBody),
    };
    const right = () => Promise.resolve({ _tag: 'Right', right: response });
    const prism = createInstance(
      // Security is not Prism's to judge here: it wants a header on operations that are open as well as closed ones.
      {
        mock: false,
        isProxy: true,
        upstream: new URL('http://recorded'),
        validateRequest: true,
        validateResponse: true,
        checkSecurity: false,
        errors: false,
        upstreamProxy: undefined,
      } as never,
      { logger: silent, forward: () => right } as never,
    );
    const url = new URL(exchange.url, 'http://recorded');
    const input = {
      method: exchange.method.toLowerCase() as Method,
      url: { path: url.pathname, query: queryOf(url) },
      headers: flat(exchange.requestHeaders),
      body: bodyOf(exchange.requestHeaders, exchange.requestBody),
    };
    const outcome = await prism.request(input as never, this.operations)();
    if (outcome._tag === 'Left') return [{ where, side: 'request', message: outcome.left.message }];
    const { input: asked, output } = outcome.right.validations;
    return [
      ...asked.map(({ message, path }) => ({
        where,
        side: 'request' as const,
        message: `${path?.join('.') ?? ''} ${message}`,
      })),
      ...output.map(({ message, path }) => ({
        where,
        side: 'response' as const,
        message: `${path?.join('.') ?? ''} ${message}`,
      })),
    ];
  }
}

const quiet = () => undefined;
const silent: Record<string, unknown> = {
  info: quiet,
  warn: quiet,
  error: quiet,
  debug: quiet,
  trace: quiet,
  success: quiet,
  fatal: quiet,
};
silent.child = () => silent;

const flat = (headers: Exchange['requestHeaders']): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

function queryOf(url: URL): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = {};
  for (const name of url.searchParams.keys()) {
    const values = url.searchParams.getAll(name);
    query[name] = values.length > 1 ? values : (values[0] as string);
  }
  return query;
}

function bodyOf(headers: Exchange['requestHeaders'], text: string): unknown {
  if (text === '') return undefined;
  return /json/.test(String(headers['content-type'])) ? JSON.parse(text) : text;
}
