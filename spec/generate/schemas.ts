import { isDeepStrictEqual } from 'node:util';
import { capitalized } from './casing.ts';
import { type JsonObject, readYaml } from './sources.ts';
import { SpecError } from './spec-error.ts';

/** The named schemas of the documents, as far as a language's types need them: what a value is made of, not its bounds. */
export type Shape =
  | { readonly kind: 'string' | 'integer' | 'number' | 'boolean' | 'json' | 'object' }
  | { readonly kind: 'enum'; readonly values: readonly string[] }
  | { readonly kind: 'const'; readonly value: string | boolean }
  | { readonly kind: 'list'; readonly of: Shape }
  | { readonly kind: 'named'; readonly name: string };

export interface Field {
  readonly name: string;
  readonly required: boolean;
  readonly shape: Shape;
  readonly about: string | undefined;
}

export type Named = { readonly name: string; readonly about: string | undefined } & (
  | { readonly kind: 'object'; readonly fields: readonly Field[] }
  | { readonly kind: 'union'; readonly members: readonly string[] }
  | { readonly kind: 'alias'; readonly shape: Shape }
);

const files = ['components', 'harness', 'orchestrator', 'custodian'] as const;

/** Every named schema of the documents in their order; an object within an object gets a name of its own. */
export function readSchemas(specFolder: string): Named[] {
  const sources = new Map<string, { schema: JsonObject; file: string }>();
  for (const file of files) {
    const { components } = readYaml(specFolder, `openapi/${file}.yaml`) as { components?: { schemas?: JsonObject } };
    for (const [name, schema] of Object.entries(components?.schemas ?? {})) {
      const known = sources.get(name);
      if (known) throw new SpecError(`${file}.yaml`, `schemas.${name}`, `take another name: ${known.file}.yaml has it`);
      sources.set(name, { schema: schema as JsonObject, file });
    }
  }
  const made: Named[] = [];
  const reader = new Reader(new Map([...sources].map(([name, { schema }]) => [name, schema])), made);
  for (const name of sources.keys()) made.push(reader.named(name));
  return made;
}

class Reader {
  readonly #schemas: ReadonlyMap<string, JsonObject>;
  readonly #made: Named[];

  constructor(schemas: ReadonlyMap<string, JsonObject>, made: Named[]) {
    this.#schemas = schemas;
    this.#made = made;
  }

  named(name: string): Named {
    const schema = this.#schema(name);
    const about = schema.description as string | undefined;
    const members = ((schema.oneOf ?? []) as JsonObject[]).map(refOf);
    if (members.length > 0 && members.every((member) => member !== undefined))
      return { name, about, kind: 'union', members };
    if (schema.allOf === undefined && schema.properties === undefined) {
      return { name, about, kind: 'alias', shape: this.#shape(schema, name) };
    }
    return { name, about, kind: 'object', fields: [...this.#fields(schema, name).values()] };
  }

  #schema(name: string): JsonObject {
    return this.#schemas.get(name) ?? this.#stranger(name, '$ref');
  }

  #stranger(name: string, what: string): never {
    throw new SpecError('openapi', `schemas.${name}.${what}`, 'refer to a named schema of the documents');
  }

  /** Own fields and those of every part of an `allOf`; the later one of a name counts. */
  #fields(schema: JsonObject, owner: string): Map<string, Field> {
    const ref = refOf(schema);
    if (ref !== undefined) return this.#fields(this.#schema(ref), ref);
    const parts = ((schema.allOf ?? []) as JsonObject[]).flatMap((part) => [...this.#fields(part, owner)]);
    const required = (schema.required ?? []) as string[];
    const own = Object.entries((schema.properties ?? {}) as Record<string, JsonObject>).map(([name, property]) => {
      const shape = this.#shape(property, owner + capitalized(name));
      const about = property.description as string | undefined;
      return [name, { name, required: required.includes(name), shape, about }] as const;
    });
    return new Map([...parts, ...own]);
  }

  #shape(schema: JsonObject, name: string): Shape {
    const ref = refOf(schema);
    if (ref !== undefined) return { kind: 'named', name: ref };
    if (schema.const !== undefined) return { kind: 'const', value: schema.const as string | boolean };
    if (isNames(schema.enum)) return { kind: 'enum', values: schema.enum };
    if (schema.type === 'array') return { kind: 'list', of: this.#shape(schema.items as JsonObject, `${name}Item`) };
    if (schema.properties !== undefined) return this.#inner(schema, name);
    // A JSON Schema may be a boolean too; no role of ours sends one.
    if (schema.type === 'object' || isDeepStrictEqual(schema.type, ['object', 'boolean'])) return { kind: 'object' };
    const plain = (['string', 'integer', 'number', 'boolean'] as const).find((kind) => kind === schema.type);
    return { kind: plain ?? 'json' };
  }

  #inner(schema: JsonObject, name: string): Shape {
    if (!this.#made.some((made) => made.name === name)) {
      const fields = [...this.#fields(schema, name).values()];
      this.#made.push({ name, about: schema.description as string | undefined, kind: 'object', fields });
    }
    return { kind: 'named', name };
  }
}

const isNames = (values: unknown): values is string[] =>
  Array.isArray(values) && values.every((value) => typeof value === 'string');

function refOf(schema: JsonObject): string | undefined {
  return typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1) : undefined;
}
