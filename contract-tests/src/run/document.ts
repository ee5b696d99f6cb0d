/** What a role answers, and what it is sent, against its OpenAPI document. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Mismatch } from '../client/seen.ts';
import type { Answer } from '../harness/wire.ts';
import { isMeant } from './said.ts';

interface ResponseObject {
  readonly headers?: Readonly<Record<string, { readonly required?: boolean; readonly schema: object }>>;
  readonly content?: Readonly<Record<string, { readonly schema?: object }>>;
}
interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: { readonly type?: string };
}
interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: NonNullable<ResponseObject['content']> };
  readonly responses: Readonly<Record<string, ResponseObject>>;
}
type Path = Readonly<Record<string, Operation>> & { readonly parameters?: readonly Parameter[] };
interface Contents {
  readonly paths: Readonly<Record<string, Path>>;
  readonly components: { readonly schemas: Readonly<Record<string, { readonly enum?: readonly string[] }>> };
}

/** A request as it arrived at the kit. */
export interface Sent {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Of JSON; undefined where there was none. */
  readonly body: unknown;
}

const require = createRequire(import.meta.url);
const ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: true });
addFormats.default(ajv);
const compiled = new WeakMap<object, ValidateFunction>();

/** Dots in a segment of their own may be taken out before any route is looked for. */
const odd = /\/(\.|%2e){1,2}(\/|$)/i;

/** The document of a role. A literal path is named in it before one with parameters that would match it too. */
export class Document {
  readonly #shapes: readonly {
    readonly pattern: RegExp;
    readonly names: readonly string[];
    readonly operations: Path;
  }[];

  readonly #schemas: Contents['components']['schemas'];

  constructor(role: 'harness' | 'orchestrator' | 'custodian') {
    const { paths, components }: Contents = JSON.parse(
      readFileSync(require.resolve(`@turnwire/spec/gen/${role}.json`), 'utf8'),
    );
    this.#schemas = components.schemas;
    this.#shapes = Object.entries(paths).map(([path, operations]) => ({
      pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '([^/]+)')}$`),
      names: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
      operations,
    }));
  }

  /** A schema of the document, by its name. */
  schemaNamed(name: string) {
    return this.#schemas[name] ?? {};
  }

  /** Ways in which a request is none of the document. */
  requestViolations({ method, target, headers, body }: Sent): Mismatch[] {
    const [path = '', query = ''] = target.split('?', 2);
    const known = this.#shapes.find(({ pattern }) => pattern.test(path));
    const operation = known?.operations[method.toLowerCase()];
    if (!known || !operation) return [wrong(`sent ${method} ${path}`, 'send what the document has', 'TW-GEN-027')];
    const values = (known.pattern.exec(path) ?? []).slice(1);
    const given: Given = {
      path: Object.fromEntries(known.names.map((name, index) => [name, decoded(values[index] ?? '')])),
      query: Object.fromEntries(new URLSearchParams(query)),
      header: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')])),
    };
    const parameters = [...(known.operations.parameters ?? []), ...(operation.parameters ?? [])];
    const found = [
      ...parameters.flatMap((one) => parameterProblems(one, given)),
      ...requestBody(operation, headers, body),
    ];
    return found.map((each) => ({ ...each, did: `sent ${operation.operationId} ${each.did}` }));
  }

  /** A request of the kit that was served must be one of the document: what is wrong on purpose is refused. */
  ownRequest({ status, sent }: Answer): Mismatch[] {
    if (sent === undefined || status >= 300) return [];
    return this.requestViolations(sent).map((each) => ({ ...ofTheKit(each), served: true }));
  }

  /** Ways in which an answer of the kit is none of the document: the kit's own fault. How it is framed is Node's. */
  ownViolations(answer: Answer): Mismatch[] {
    return isMeant(answer) ? [] : this.#violations(answer).map(ofTheKit);
  }

  /** Ways in which an answer is none of the document; of a path or a method that it does not have, the general rules alone. */
  violations(answer: Answer): Mismatch[] {
    return [...this.#violations(answer), ...framing(answer)];
  }

  #violations(answer: Answer): Mismatch[] {
    const path = answer.path.split('?', 1)[0] ?? '';
    const known = odd.test(path) ? undefined : this.#shapes.find(({ pattern }) => pattern.test(path));
    const operation = known?.operations[answer.method.toLowerCase()];
    const found = [...general(answer), ...(operation ? documented(answer, operation) : [])];
    return found.map((each) => ({ ...each, did: `answered ${answer.method} ${path} ${each.did}` }));
  }
}

const ofTheKit = (each: Mismatch): Mismatch => ({ ...each, whose: 'kit' });

type Given = Readonly<Record<Parameter['in'], Readonly<Record<string, string | undefined>>>>;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function parameterProblems({ name, in: where, required, schema }: Parameter, given: Given): Mismatch[] {
  const value = given[where][where === 'header' ? name.toLowerCase() : name];
  const should = 'send what the document has';
  if (value === undefined) return required ? [wrong(`without ${name}`, should, 'TW-GEN-026')] : [];
  const isNumber = schema.type === 'integer' || schema.type === 'number';
  const why = invalid(schema, isNumber && /^-?[\d.]+$/.test(value) ? Number(value) : value);
  return why === undefined ? [] : [wrong(`with a ${name} that ${why}`, should, 'TW-GEN-026')];
}

function requestBody({ requestBody: of }: Operation, headers: Sent['headers'], body: unknown): Mismatch[] {
  const should = 'send what the document has';
  if (body === undefined) return of?.required ? [wrong('without a body', should, 'TW-GEN-007')] : [];
  const schema = of?.content['application/json']?.schema;
  if (schema === undefined) return [];
  const type = String(headers['content-type'] ?? '').split(';', 1)[0];
  if (type !== 'application/json') return [wrong(`a body as ${type || 'nothing'}`, should, 'TW-GEN-007')];
  const why = invalid(schema, body);
  return why === undefined ? [] : [wrong(`with a body that ${why}`, should, 'TW-GEN-008')];
}

const wrong = (did: string, should: string, requirement: string): Mismatch => ({ did, should, requirement });

/** RFC 9112 6.3: an answer to a HEAD, a 204 and a 304 have no body to frame. */
function framing({ method, path, status, headers }: Answer): Mismatch[] {
  const isFramed = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  if (isFramed || method === 'HEAD' || status === 204 || status === 304) return [];
  const did = `answered ${method} ${path.split('?', 1)[0]} ${status} up to the end of its connection`;
  return [wrong(did, 'frame its body', 'TW-GEN-028')];
}

/** A frame of a stack as Node, Python, Go and the JVM write it, as it stands in JSON too. */
const stackFrame = /(?:^|\n|\\n)(?:\s|\\t)*(?:at \S.*[:(]\d+|File \\?"[^"]+", line \d+|goroutine \d+ \[)/;

function general({ status, headers, json, text, whole }: Answer): Mismatch[] {
  const problem = json as { code?: unknown; status?: unknown } | undefined;
  const isError = status >= 400;
  const isProblem = headers['content-type']?.startsWith('application/problem+json') === true;
  const repeated = headers['turnwire-code'] === problem?.code && problem?.status === status;
  const found: (Mismatch | false)[] = [
    headers['turnwire-version'] !== '1' && wrong(`${status} without Turnwire-Version: 1`, 'send it', 'TW-GEN-001'),
    isError && json !== undefined && !isProblem && wrong(`${status} as no problem`, 'send a problem', 'TW-GEN-004'),
    isError &&
      problem?.code !== undefined &&
      !repeated &&
      wrong(`${status} with another code in its header`, 'repeat the code', 'TW-GEN-005'),
    isError && headers['turnwire-code'] === undefined && wrong(`${status} without a code`, 'name it', 'TW-GEN-005'),
    !whole && wrong(`${status} and cut its body`, 'send it whole', 'TW-GEN-028'),
    isError && stackFrame.test(text) && wrong(`${status} with a stack trace`, 'keep it', 'TW-GEN-035'),
  ];
  return found.filter((each) => each !== false);
}

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
  const validate = compiled.get(schema) ?? ajv.compile(schema);
  compiled.set(schema, validate);
  if (validate(value)) return undefined;
  const [first] = validate.errors ?? [];
  return `${first?.message ?? 'is wrong'} at ${first?.instancePath || 'its top'}`;
}
