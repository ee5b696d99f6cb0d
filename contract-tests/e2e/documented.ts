import { readFileSync } from 'node:fs';
import type { DocumentName } from '../prism/documents.ts';
import type { Exchange } from './recorder.ts';

type Headers = Record<string, string>;
type Examples = Record<string, { value: unknown }>;
type Content = Record<string, { examples?: Examples }>;

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  example?: unknown;
}

interface Header {
  example?: unknown;
  schema?: { enum?: unknown[]; const?: unknown };
}

interface Operation {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, { headers?: Record<string, Header>; content?: Content }>;
}

/** An exchange that is made of a document's own examples, and so is what it says. */
export interface DocumentedExchange extends Exchange {
  readonly operation: string;
  readonly name: string;
}

/** One for each answer of each operation, asked with each example of a request in turn. */
export function documentedExchanges(document: DocumentName): DocumentedExchange[] {
  const file = new URL(`../../spec/gen/${document}.json`, import.meta.url);
  const { paths } = JSON.parse(readFileSync(file, 'utf8')) as { paths: Record<string, Record<string, unknown>> };
  return Object.entries(paths).flatMap(([path, item]) => {
    const common = (item.parameters ?? []) as Parameter[];
    return Object.entries(item)
      .filter(
        (entry): entry is [string, Operation] => typeof entry[1] === 'object' && 'operationId' in (entry[1] ?? {}),
      )
      .flatMap(([method, operation]) => exchangesOf(method.toUpperCase(), path, common, operation));
  });
}

function exchangesOf(method: string, path: string, common: Parameter[], operation: Operation): DocumentedExchange[] {
  const asked = bodiesOf(operation.requestBody?.content);
  const told = Object.entries(operation.responses).flatMap(([status, { headers, content }]) =>
    bodiesOf(content).map((body) => ({
      status: Number(status),
      headers: { ...valuesOf(headers), ...body.headers },
      body,
    })),
  );
  const request = requestOf(path, [...common, ...(operation.parameters ?? [])]);
  return Array.from({ length: Math.max(asked.length, told.length) }, (_, index) => {
    const question = asked[index % asked.length] ?? nothing;
    const { status = 0, headers = {}, body = nothing } = told[index % told.length] ?? {};
    return {
      operation: operation.operationId,
      name: `${operation.operationId} ${question.name} ${status} ${body.name}`.replace(/ +/g, ' ').trim(),
      method,
      url: request.url,
      requestHeaders: { ...request.headers, ...question.headers },
      requestBody: question.text,
      status,
      responseHeaders: headers,
      responseBody: body.text,
    };
  });
}

interface Body {
  readonly name: string;
  readonly headers: Headers;
  readonly text: string;
}

const nothing: Body = { name: '', headers: {}, text: '' };

function bodiesOf(content: Content | undefined): Body[] {
  const bodies = Object.entries(content ?? {}).flatMap(([media, { examples = {} }]) =>
    Object.entries(examples).map(([name, { value }]) => {
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      const code =
        typeof value === 'object' && value !== null && 'code' in value ? { 'turnwire-code': `${value.code}` } : {};
      return {
        name,
        text,
        headers: { 'content-type': media, 'content-length': `${Buffer.byteLength(text)}`, ...code },
      };
    }),
  );
  return bodies.length === 0 ? [nothing] : bodies;
}

function valuesOf(headers: Record<string, Header> | undefined): Headers {
  return Object.fromEntries(
    Object.entries(headers ?? {}).map(([name, { example, schema }]) => {
      return [name.toLowerCase(), `${example ?? schema?.const ?? schema?.enum?.[0]}`];
    }),
  );
}

/** Optional headers and queries go along where they have an example: they are to pass too. */
function requestOf(path: string, parameters: readonly Parameter[]): { url: string; headers: Headers } {
  let url = path;
  const query = new URLSearchParams();
  const headers: Headers = {};
  for (const { name, in: place, example } of parameters) {
    if (place === 'path') url = url.replace(`{${name}}`, encodeURIComponent(`${example}`));
    if (place === 'query' && example !== undefined) query.set(name, `${example}`);
    if (place === 'header' && example !== undefined) headers[name.toLowerCase()] = `${example}`;
  }
  return { url: query.size === 0 ? url : `${url}?${query}`, headers };
}
