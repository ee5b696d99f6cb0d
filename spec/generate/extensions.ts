import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { JsonObject } from './sources.ts';
import { SpecError } from './spec-error.ts';

/** The validators of `spec/retry.schema.json`, one for each extension. */
export interface ExtensionSchemas {
  retry: ValidateFunction;
  meaning: ValidateFunction;
  root: ValidateFunction;
}

export function loadExtensionSchemas(specFolder: string): ExtensionSchemas {
  const schema = JSON.parse(readFileSync(join(specFolder, 'retry.schema.json'), 'utf8')) as { $id: string };
  const ajv = new Ajv2020({ allErrors: false, strict: false });
  ajv.addSchema(schema);
  const of = (name: string) => ajv.compile({ $ref: `${schema.$id}#/$defs/${name}` });
  return { retry: of('retry'), meaning: of('meaning'), root: of('root') };
}

/** The extension, or a SpecError naming where it is missing or what in it is wrong. */
export function extension(
  holder: JsonObject,
  name: string,
  validate: ValidateFunction,
  at: { document: string; path: string },
): JsonObject {
  const value = holder[name];
  if (value === undefined) throw new SpecError(at.document, at.path, `add \`${name}\` (see spec/retry.schema.json)`);
  if (!validate(value)) {
    const [first] = validate.errors ?? [];
    const place = `${at.path} ${name}${first?.instancePath ?? ''}`;
    const allowed = first?.params.allowedValues ?? first?.params.additionalProperty ?? first?.params.propertyName;
    const more = allowed === undefined ? '' : `: ${[allowed].flat().join(', ')}`;
    throw new SpecError(at.document, place, `${first?.message ?? 'is not valid'}${more} (see spec/retry.schema.json)`);
  }
  return value as JsonObject;
}
