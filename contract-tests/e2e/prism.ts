import { createInstance, type IHttpConfig, type IHttpRequest, type IHttpResponse } from '@stoplight/prism-http';
import { type DocumentName, type Operations, operationsOf, silent } from '../prism/documents.ts';
import type { Exchange } from './recorder.ts';

type Operation = Operations[number];

/** A way in which an exchange is not what the spec says. */
export interface Violation {
  readonly where: string;
  readonly side: 'request' | 'response';
  readonly message: string;
}

/** Security is not Prism's to judge here: it wants a header on operations that are open as well as closed ones. */
const config: IHttpConfig = {
  isProxy: true,
  upstream: new URL('http://recorded'),
  upstreamProxy: undefined,
  validateRequest: true,
  validateResponse: true,
  checkSecurity: false,
  errors: false,
  mock: { dynamic: false },
};

/**
 * Holds recorded exchanges to a document with Prism's own router and validators; what Prism would send upstream is
 * answered with what was recorded, so that nothing is sent twice and no long-poll passes through it.
 */
export class PrismWatch {
  private constructor(private readonly operations: Operations) {}

  static async of(document: DocumentName): Promise<PrismWatch> {
    return new PrismWatch(await operationsOf(document));
  }

  async check(exchange: Exchange): Promise<Violation[]> {
    const where = `${exchange.method} ${exchange.url.replace(/\?.*/, '')} ${exchange.status}`;
    const found = (side: Violation['side']) => (message: string) => ({ where, side, message });
    const asked = bodyOf(exchange.requestHeaders, exchange.requestBody);
    const told = bodyOf(exchange.responseHeaders, exchange.responseBody);
    if ('unreadable' in asked) return [found('request')(asked.unreadable)];
    if ('unreadable' in told) return [found('response')(told.unreadable)];
    const { input, output, operation } = await this.judged(
      { ...requestOf(exchange), ...asked },
      { statusCode: exchange.status, headers: flat(exchange.responseHeaders), ...told },
    );
    // Every diagnostic counts: an undeclared status and a path that no document has are mere warnings to Prism.
    return [
      ...input.map(sentence).map(found('request')),
      ...output.map(sentence).map(found('response')),
      ...(operation === undefined ? [] : beyondPrism(operation, exchange, told.body).map(found('response'))),
    ];
  }

  private async judged(input: IHttpRequest, response: IHttpResponse) {
    let operation: Operation | undefined;
    const recorded = { _tag: 'Right' as const, right: response };
    const forward = (_input: unknown, _base: string, _proxy: unknown, matched?: Operation) => {
      operation = matched;
      return () => () => Promise.resolve(recorded);
    };
    const outcome = await createInstance(config, { logger: silent, forward }).request(input, this.operations)();
    if (outcome._tag === 'Left') return { input: [{ message: outcome.left.message }], output: [], operation };
    return { ...outcome.right.validations, operation };
  }
}

/** What the documents say and Prism does not look at. */
function beyondPrism(operation: Operation, exchange: Exchange, body: unknown): string[] {
  const declared = operation.responses.find(({ code }) => code === `${exchange.status}`);
  if (declared === undefined || exchange.method === 'HEAD') return [];
  const media = (declared.contents ?? []).map(({ mediaType }) => mediaType);
  const sent = String(exchange.responseHeaders['content-type'] ?? '').replace(/\s*;.*/, '');
  const problems: string[] = [];
  // To Prism `application/json` is as good as `application/problem+json`.
  if (media.length > 0 && !media.includes(sent)) problems.push(`header content-type must be ${media.join(' or ')}`);
  if (media.length === 0 && exchange.responseBody !== '') problems.push('body must be empty');
  const inBody = typeof body === 'object' && body !== null && 'code' in body ? body.code : undefined;
  const inHeader = exchange.responseHeaders['turnwire-code'];
  if (exchange.status >= 400 && inBody !== inHeader) problems.push('header turnwire-code must be the code of the body');
  return problems;
}

const sentence = ({ path = [], message }: { path?: string[]; message: string }): string =>
  [path.join('.'), message].filter((part) => part !== '').join(' ');

const flat = (headers: Exchange['requestHeaders']): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

function requestOf(exchange: Exchange): IHttpRequest {
  const { pathname, searchParams } = new URL(exchange.url, 'http://recorded');
  const query = [...new Set(searchParams.keys())].map((name) => {
    const [first = '', ...more] = searchParams.getAll(name);
    return [name, more.length > 0 ? [first, ...more] : first] as const;
  });
  return {
    method: exchange.method.toLowerCase() as IHttpRequest['method'],
    url: { path: pathname, query: Object.fromEntries(query) },
    headers: flat(exchange.requestHeaders),
  };
}

function bodyOf(headers: Exchange['requestHeaders'], text: string): { body?: unknown } | { unreadable: string } {
  if (text === '') return {};
  if (!/json/.test(String(headers['content-type']))) return { body: text };
  try {
    return { body: JSON.parse(text) };
  } catch {
    return { unreadable: 'body must be JSON, as its content-type says' };
  }
}
