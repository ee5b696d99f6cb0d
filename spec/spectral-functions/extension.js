import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';

/** Compiled validators by schema file and definition; one run lints several documents. */
const compiled = new Map();

/**
 * The extension is there and says what `retry.schema.json` lets it say.
 * Options: `definition`, the name under `$defs`; `file`, from the folder of the document.
 */
export default function extension(target, { definition, file }, context) {
  if (target === undefined || target === null) return [{ message: `the extension is missing` }];
  const path = join(dirname(context.documentInventory.source), file);
  const check = validator(path, definition);
  if (check(target)) return [];
  return check.errors.map(({ instancePath, message, params }) => ({
    message: `${instancePath || 'the extension'} ${message} ${JSON.stringify(params)} (${file}#/$defs/${definition})`,
  }));
}

function validator(path, definition) {
  const key = `${path}#${definition}`;
  if (!compiled.has(key)) {
    const schema = JSON.parse(readFileSync(path, 'utf8'));
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    ajv.addSchema(schema);
    compiled.set(key, ajv.compile({ $ref: `${schema.$id}#/$defs/${definition}` }));
  }
  return compiled.get(key);
}
