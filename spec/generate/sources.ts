import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import SwaggerParser from '@apidevtools/swagger-parser';
import { parse } from 'yaml';
import { SpecError } from './spec-error.ts';

export const documentNames = ['harness', 'orchestrator', 'custodian'] as const;
export type DocumentName = (typeof documentNames)[number];

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** A dereferenced OpenAPI document, as far as the generator looks at it. */
export interface Document extends JsonObject {
  paths: Record<string, JsonObject>;
  'x-turnwire': JsonObject;
}

/** Reads a yaml source of the spec. */
export function readYaml(specFolder: string, file: string): JsonObject {
  try {
    return parse(readFileSync(join(specFolder, file), 'utf8')) as JsonObject;
  } catch (error) {
    throw new SpecError(
      file,
      '(whole file)',
      `make it a readable YAML file: ${(error as Error).message.split('\n')[0]}`,
    );
  }
}

/** Bundles and dereferences one document; extensions (`x-…`) survive. */
export async function readDocument(specFolder: string, name: DocumentName): Promise<Document> {
  const file = join(specFolder, 'openapi', `${name}.yaml`);
  const parser = new SwaggerParser();
  try {
    await parser.validate(file, { dereference: { circular: true }, validate: { schema: true, spec: true } });
  } catch (error) {
    throw new SpecError(`${name}.yaml`, '(whole document)', (error as Error).message.replaceAll(/\s*\n\s*/g, ' '));
  }
  if (parser.$refs.circular) {
    throw new SpecError(`${name}.yaml`, '$ref', 'break the circular reference: dereferenced documents are plain JSON');
  }
  // A copy without shared objects: two places that refer to one component are two values from here on.
  return JSON.parse(JSON.stringify(parser.api)) as Document;
}
