import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

export type DocumentName = 'harness' | 'orchestrator' | 'custodian';

/** One thing that is wrong with a body: a JSON Pointer into it, and a sentence. */
export interface BodyProblem {
  readonly path: string;
  readonly message: string;
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: object;
}
interface Operation {
  readonly operationId?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Record<string, { readonly schema: object }> };
}
type PathItem = { readonly parameters?: readonly Parameter[] } & {
  readonly [method in 'get' | 'put' | 'post' | 'delete' | 'head']?: Operation;
};
interface Document {
  readonly paths: Record<string, PathItem>;
}

/** What the spec says about one operation's request, ready to be asked. */
export interface RequestRules {
  readonly bodyRequired: boolean;
  body(value: unknown): BodyProblem[];
  parameters(read: (where: Parameter['in'], name: string) => string | undefined): BodyProblem[];
}

const require = createRequire(import.meta.url);
const loaded = new Map<DocumentName, Map<string, RequestRules>>();

/** The request rules of an operation, compiled once from the dereferenced document of `@turnwire/spec`. */
export function requestRules(document: DocumentName, operationId: string): RequestRules {
  let operations = loaded.get(document);
  if (!operations) {
    operations = compile(document);
    loaded.set(document, operations);
  }
  const rules = operations.get(operationId);
  if (!rules) throw new Error(`the ${document} document has no operation ${operationId}`);
  return rules;
}

function compile(name: DocumentName): Map<string, RequestRules> {
  const file = require.resolve(`@turnwire/spec/gen/${name}.json`);
  const document = JSON.parse(readFileSync(file, 'utf8')) as Document;
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  // Parameters arrive as text: their own validator may read numbers and booleans out of it, a body's may not.
  const textAjv = new Ajv2020({ strict: false, allErrors: true, coerceTypes: true });
  formats.default(textAjv);
  const rules = new Map<string, RequestRules>();
  for (const item of Object.values(document.paths)) {
    for (const operation of [item.get, item.put, item.post, item.delete, item.head]) {
      if (!operation?.operationId) continue;
      const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])];
      rules.set(operation.operationId, operationRules(operation, parameters, ajv, textAjv));
    }
  }
  return rules;
}

function operationRules(
  operation: Operation,
  parameters: readonly Parameter[],
  ajv: Ajv2020,
  textAjv: Ajv2020,
): RequestRules {
  // Compiled on first use: a role pays for the operations that it is asked, and starts quickly.
  let bodyCheck: ValidateFunction | undefined;
  let checks: (readonly [Parameter, ValidateFunction])[] | undefined;
  const schema = operation.requestBody?.content['application/json']?.schema;
  return {
    bodyRequired: operation.requestBody?.required === true,
    body(value) {
      if (!schema) return [];
      bodyCheck ??= ajv.compile(schema);
      return bodyCheck(value) ? [] : toProblems(bodyCheck.errors ?? []);
    },
    parameters(read) {
      checks ??= parameters.map((parameter) => [parameter, textAjv.compile(wrap(parameter.schema))] as const);
      return checks.flatMap(([parameter, check]) => checkOne(parameter, check, read(parameter.in, parameter.name)));
    },
  };
}

const wrap = (schema: object) => ({ type: 'object', properties: { value: schema } });

function checkOne(parameter: Parameter, check: ValidateFunction, value: string | undefined): BodyProblem[] {
  if (value === undefined) {
    return parameter.required ? [{ path: parameter.name, message: `the ${parameter.in} parameter is required` }] : [];
  }
  return check({ value })
    ? []
    : (check.errors ?? []).map((error) => ({ path: parameter.name, message: error.message ?? 'is not valid' }));
}

function toProblems(errors: readonly ErrorObject[]): BodyProblem[] {
  const seen = new Set<string>();
  return errors
    .map((error) => ({ path: pathOf(error), message: messageOf(error) }))
    .filter(({ path, message }) => !seen.has(`${path} ${message}`) && seen.add(`${path} ${message}`));
}

/** A missing property's path names the property, so that the reader knows what to add and where. */
const pathOf = (error: ErrorObject): string =>
  error.keyword === 'required' ? `${error.instancePath}/${error.params.missingProperty}` : error.instancePath;

function messageOf(error: ErrorObject): string {
  if (error.keyword === 'required') return 'is required';
  if (error.keyword === 'enum') return `must be one of ${error.params.allowedValues.join(', ')}`;
  return error.message ?? 'is not valid';
}
