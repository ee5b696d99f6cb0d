import { join } from 'node:path';
import SwaggerParser from '@apidevtools/swagger-parser';
import { createInstance, getHttpOperationsFromSpec } from '@stoplight/prism-http';
import { describe, expect, it } from 'vitest';

interface Media {
  examples?: Record<string, { value: unknown }>;
}
interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  example: unknown;
}
interface Operation {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { content?: Record<string, Media> }>;
}
interface Case {
  status: string;
  media?: string;
  example?: string;
  want?: unknown;
}

const methods = ['get', 'post', 'put', 'delete', 'head'] as const;
const quiet = () => undefined;
const silent = { info: quiet, warn: quiet, error: quiet, debug: quiet, trace: quiet, success: quiet, fatal: quiet };
const logger = { ...silent, child: () => silent };

/** Every status of an operation, in every media type, with every example. */
function casesOf({ responses }: Operation): Case[] {
  return Object.entries(responses).flatMap(([status, { content }]) =>
    content
      ? Object.entries(content).flatMap(([media, { examples = {} }]) =>
          Object.entries(examples).map(([example, { value }]) => ({ status, media, example, want: value })),
        )
      : [{ status }],
  );
}

/** A request that the document itself gives as an example. */
function requestOf(method: string, path: string, operation: Operation, shared: Parameter[]) {
  const parameters = [...shared, ...(operation.parameters ?? [])];
  const named = (where: Parameter['in']) => parameters.filter((one) => one.in === where);
  const body = Object.values(operation.requestBody?.content['application/json']?.examples ?? {})[0]?.value;
  return {
    method,
    url: {
      path: named('path').reduce((url, { name, example }) => url.replace(`{${name}}`, String(example)), path),
      query: Object.fromEntries(
        named('query').flatMap(({ name, required, example }) => (required ? [[name, example]] : [])),
      ),
    },
    headers: {
      ...Object.fromEntries(named('header').map(({ name, example }) => [name.toLowerCase(), example])),
      authorization: 'Bearer any',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body }),
  };
}

/** What the mock answers, and what Prism's own validators have against either side. */
async function mocked(operations: unknown, request: object, { status, media, example }: Case) {
  const mock = {
    dynamic: false,
    code: Number(status),
    ...(example === undefined ? {} : { exampleKey: example }),
    ...(media === undefined ? {} : { mediaTypes: [media] }),
  };
  const checks = { validateRequest: true, validateResponse: true, checkSecurity: true, errors: false, isProxy: false };
  const prism = createInstance({ ...checks, mock } as never, { logger } as never);
  const outcome = await prism.request(request as never, operations as never)();
  if (outcome._tag === 'Left') throw outcome.left;
  const { output, validations } = outcome.right;
  return { output, violations: [...validations.input, ...validations.output].map(({ message }) => message) };
}

describe.each(['harness', 'orchestrator', 'custodian'])('a Prism mock of %s.yaml', async (name) => {
  const file = join(import.meta.dirname, 'openapi', `${name}.yaml`);
  const document = await SwaggerParser.dereference(file);
  const operations = await getHttpOperationsFromSpec(file);
  const listed = Object.entries(document.paths ?? {}).flatMap(([path, item]) => {
    const found = item as unknown as Partial<Record<string, Operation>> & { parameters?: Parameter[] };
    return methods.flatMap((method) => {
      const operation = found[method];
      return operation ? [{ id: operation.operationId, method, path, operation, shared: found.parameters ?? [] }] : [];
    });
  });

  it.each(listed)('answers $id with every status and example', async ({ method, path, operation, shared }) => {
    const request = requestOf(method, path, operation, shared);
    for (const one of casesOf(operation)) {
      const { output, violations } = await mocked(operations, request, one);
      const label = `${one.status} ${one.media ?? ''} ${one.example ?? ''}`;
      expect(violations, label).toEqual([]);
      expect(output.statusCode, label).toBe(Number(one.status));
      if (one.media?.endsWith('json')) expect(parsed(output.body), label).toEqual(one.want);
      else if (one.want !== undefined) expect(output.body, label).toBe(one.want);
    }
  });
});

const parsed = (body: unknown): unknown => (typeof body === 'string' ? JSON.parse(body) : body);
