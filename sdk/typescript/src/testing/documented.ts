/** Every answer that the documents have: operation × status × media type × named example. For tests only. */
import { readFileSync } from 'node:fs';

export type DocumentName = 'harness' | 'orchestrator' | 'custodian';

export interface Documented {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly media?: string;
  readonly example?: string;
  readonly body?: unknown;
  /** The example values of its headers, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The problem code: the body's, or the header's where there is no body. */
  readonly code?: string;
  readonly taken: boolean | 'unknown';
}

interface Header {
  example?: unknown;
  schema?: { enum?: unknown[]; const?: unknown; example?: unknown };
}

interface Response {
  headers?: Record<string, Header>;
  content?: Record<string, { examples?: Record<string, { value: unknown }> }>;
  'x-turnwire-meaning': { taken: boolean | 'unknown' };
}

interface Operation {
  operationId: string;
  responses: Record<string, Response>;
}

export function documentedAnswers(document: DocumentName): Documented[] {
  const file = new URL(`../../../../spec/gen/${document}.json`, import.meta.url);
  const { paths } = JSON.parse(readFileSync(file, 'utf8')) as { paths: Record<string, Record<string, unknown>> };
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) => {
      if (!isOperation(operation)) return [];
      const asked = { operation: operation.operationId, method: method.toUpperCase(), path };
      return Object.entries(operation.responses).flatMap(([status, response]) =>
        answersOf(asked, Number(status), response),
      );
    }),
  );
}

function answersOf(
  asked: Pick<Documented, 'operation' | 'method' | 'path'>,
  status: number,
  response: Response,
): Documented[] {
  const headers = headersOf(response);
  const inHeader = headers['turnwire-code'];
  const base = { ...asked, status, headers, taken: response['x-turnwire-meaning'].taken };
  const contents = Object.entries(response.content ?? {});
  if (contents.length === 0) return [{ ...base, ...(inHeader === undefined ? {} : { code: inHeader }) }];
  return contents.flatMap(([media, { examples = {} }]) =>
    Object.entries(examples).map(([example, { value }]) => {
      const code = status < 300 ? undefined : (value as { code?: string }).code;
      return { ...base, media, example, body: value, ...(code === undefined ? {} : { code }) };
    }),
  );
}

function headersOf(response: Response): Record<string, string> {
  const entries = Object.entries(response.headers ?? {}).map(([name, { example, schema }]) => {
    const value = example ?? schema?.example ?? schema?.const ?? schema?.enum?.[0];
    return [name.toLowerCase(), `${value}`] as const;
  });
  return Object.fromEntries(entries);
}

const isOperation = (value: unknown): value is Operation =>
  typeof value === 'object' && value !== null && 'operationId' in value;
