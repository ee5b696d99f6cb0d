/** A real socket in front of the API for tests; every answer is held against the spec's own document. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createLogger, type Listening, listen } from '@turnwire/server';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { createTokens, harnessToken, placementToken } from '../tokens.ts';
import { createOrchestratorApp } from './app.ts';
import { type FakeHost, fakeHost } from './host.fixture.ts';
import { createMetrics } from './metrics.ts';
import { Service } from './service.ts';

const KEY = Buffer.from('a-signing-key-of-at-least-32-bytes');
export const INSTANCE = 'instance-token-of-this-test';
export const LOCAL = placementToken(KEY, 'local');
export const ELSEWHERE = placementToken(KEY, 'elsewhere');
export const HARNESS = harnessToken(KEY, 'local');

export interface Serving {
  readonly url: string;
  readonly host: FakeHost;
  readonly service: Service;
  close(): Promise<void>;
}

export async function serveFake(options: { feedCommentMs?: number; starting?: boolean } = {}): Promise<Serving> {
  const host = fakeHost();
  const service = new Service();
  if (!options.starting) service.serve(host);
  const log = createLogger('orchestrator');
  log.level = 'silent';
  const app = createOrchestratorApp({
    service,
    log,
    tokens: createTokens(KEY, INSTANCE, ['local']),
    metrics: createMetrics(service),
    software: { name: '@turnwire/orchestrator', version: '0.0.0' },
    feedCommentMs: options.feedCommentMs ?? 15_000,
  });
  const listening: Listening = await listen({ app, host: '127.0.0.1', port: 0, role: 'orchestrator', announce: false });
  return { url: listening.url, host, service, close: () => listening.close({ graceMs: 50 }) };
}

interface SpecResponse {
  readonly headers?: Record<string, { required?: boolean; schema: object }>;
  readonly content?: Record<string, { schema: object }>;
}
type Paths = Record<string, Record<string, { operationId?: string; responses?: Record<string, SpecResponse> }>>;

const require = createRequire(import.meta.url);
const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);
let operations: Map<string, Record<string, SpecResponse>> | undefined;

function responsesOf(operationId: string): Record<string, SpecResponse> {
  if (!operations) {
    const file = require.resolve('@turnwire/spec/gen/orchestrator.json');
    const { paths } = JSON.parse(readFileSync(file, 'utf8')) as { paths: Paths };
    const all = Object.values(paths).flatMap((item) => Object.values(item));
    operations = new Map(
      all.flatMap(({ operationId: id, responses }) => (id && responses ? [[id, responses] as const] : [])),
    );
  }
  const responses = operations.get(operationId);
  if (!responses) throw new Error(`the spec has no operation ${operationId}`);
  return responses;
}

/** What of an answer the spec does not allow; empty when it is conformant. */
export function violations(operationId: string, response: Response, body: unknown): string[] {
  const declared = responsesOf(operationId)[String(response.status)];
  if (!declared) return [`${operationId} declares no ${response.status}`];
  const media = response.headers.get('content-type')?.split(';')[0] ?? '';
  return [...headerViolations(declared, response), ...bodyViolations(declared, media, body)];
}

function headerViolations({ headers = {} }: SpecResponse, response: Response): string[] {
  return Object.entries(headers).flatMap(([name, { required, schema }]) => {
    // Hop by hop: Node's server writes its own where the app says nothing. Tests that need `close` ask for it.
    if (name.toLowerCase() === 'connection') return [];
    const value = response.headers.get(name);
    if (value === null) return required ? [`the header ${name} is missing`] : [];
    return ajv.validate(schema, value) ? [] : [`the header ${name} is ${value}`];
  });
}

function bodyViolations({ content }: SpecResponse, media: string, body: unknown): string[] {
  if (!content) return body === '' ? [] : ['a body where the spec has none'];
  const schema = content[media]?.schema;
  if (!schema) return [`the media type ${media} is not declared`];
  return ajv.validate(schema, body) ? [] : [ajv.errorsText(ajv.errors)];
}
