/** Every answer against the document: its status, its headers, its body. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Mismatch } from '../client/seen.ts';
import type { Answer } from './wire.ts';

interface ResponseObject {
  readonly headers?: Readonly<Record<string, { readonly required?: boolean; readonly schema: object }>>;
  readonly content?: Readonly<Record<string, { readonly schema?: object }>>;
}
type Operation = { readonly operationId: string; readonly responses: Readonly<Record<string, ResponseObject>> };
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, { readonly enum?: readonly string[] }>> };
}

const document: Document = JSON.parse(
  readFileSync(createRequire(import.meta.url).resolve('@turnwire/spec/gen/harness.json'), 'utf8'),
);
const ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: true });
addFormats.default(ajv);
const compiled = new WeakMap<object, ValidateFunction>();

const shapes = Object.entries(document.paths).map(([path, operations]) => ({
  pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  operations,
}));

/** A schema of the document, by its name. */
export const schemaNamed = (name: string) => document.components.schemas[name] ?? {};

/** Ways in which an answer is none of the document; of a path or a method that it does not have, the general rules alone. */
export function violations(answer: Answer): Mismatch[] {
  const path = answer.path.split('?', 1)[0] ?? '';
  // Dots in a segment of their own may be taken out before any route is looked for.
  const known = /\/(\.|%2e){1,2}(\/|$)/i.test(path) ? undefined : shapes.find(({ pattern }) => pattern.test(path));
  const operation = known?.operations[answer.method.toLowerCase()];
  const found = [...general(answer, path), ...(operation ? documented(answer, operation) : [])];
  return found.map((each) => ({ ...each, did: `answered ${answer.method} ${path} ${each.did}` }));
}

const open = ['/healthz', '/readyz'];

function general({ method, status, headers, json, whole }: Answer, path: string): Mismatch[] {
  const problem = json as { code?: unknown; status?: unknown } | undefined;
  const isError = status >= 400;
  const isProblem = headers['content-type']?.startsWith('application/problem+json') === true;
  const found: (Mismatch | false)[] = [
    headers['turnwire-version'] !== '1' && wrong(`${status} without Turnwire-Version: 1`, 'send it', 'TW-GEN-001'),
    !open.includes(path) &&
      !headers['turnwire-store'] &&
      wrong(`${status} without Turnwire-Store`, 'name its data folder', 'TW-ADM-001'),
    isError && json !== undefined && !isProblem && wrong(`${status} as no problem`, 'send a problem', 'TW-GEN-004'),
    isError &&
      problem?.code !== undefined &&
      (headers['turnwire-code'] !== problem.code || problem.status !== status) &&
      wrong(`${status} with the code ${headers['turnwire-code']} in its header`, 'repeat the code', 'TW-GEN-005'),
    isError && headers['turnwire-code'] === undefined && wrong(`${status} without a code`, 'name it', 'TW-GEN-005'),
    status === 503 && path.startsWith('/agents/') && method !== 'POST' && wrong('503', 'answer reads', 'TW-STR-033'),
    !whole && wrong(`${status} and cut its body`, 'send it whole', 'TW-GEN-028'),
  ];
  return found.filter((each) => each !== false);
}

const wrong = (did: string, should: string, requirement: string): Mismatch => ({ did, should, requirement });

function documented(answer: Answer, { operationId, responses }: Operation): Mismatch[] {
  const response = responses[String(answer.status)];
  const should = `answer ${operationId} as the document has it`;
  if (!response) return [wrong(`${answer.status}, which ${operationId} does not have`, should, 'TW-GEN-006')];
  const headers = Object.entries(response.headers ?? {}).flatMap(([name, { required, schema }]) => {
    const value = answer.headers[name.toLowerCase()];
    if (value === undefined) return required ? [wrong(`${answer.status} without ${name}`, should, 'TW-GEN-006')] : [];
    const why = invalid(schema, value);
    return why === undefined ? [] : [wrong(`${answer.status} with a ${name} that ${why}`, should, 'TW-GEN-006')];
  });
  return [...headers, ...bodyProblems(answer, response, should)];
}

function bodyProblems(answer: Answer, { content }: ResponseObject, should: string): Mismatch[] {
  if (answer.method === 'HEAD' || content === undefined) return [];
  const type = answer.headers['content-type']?.split(';', 1)[0] ?? '';
  const media = content[type];
  if (!media) return [wrong(`${answer.status} as ${type || 'nothing'}`, should, 'TW-GEN-013')];
  if (!type.endsWith('json') || media.schema === undefined) return [];
  if (answer.json === undefined) return [wrong(`${answer.status} with what is not JSON`, should, 'TW-GEN-013')];
  const why = invalid(media.schema, answer.json);
  return why === undefined ? [] : [wrong(`${answer.status} with a body that ${why}`, should, 'TW-GEN-006')];
}

function invalid(schema: object, value: unknown): string | undefined {
  let validate = compiled.get(schema);
  if (!validate) {
    validate = ajv.compile(schema);
    compiled.set(schema, validate);
  }
  if (validate(value)) return undefined;
  const [first] = validate.errors ?? [];
  return `${first?.message ?? 'is wrong'} at ${first?.instancePath || 'its top'}`;
}
