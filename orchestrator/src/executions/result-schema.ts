/** Checks an answer against the schema that its Agent was registered with. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import type { JsonObject } from '../machine/port.ts';

/** @returns what is wrong, each with its place in the result */
export type Checker = (value: unknown) => { path: (string | number)[]; message: string }[];

const anything: Checker = () => [];

/** A schema that cannot be read is none: the registry refuses those, and a call must not fail for it. */
export function resultChecker(schema: JsonObject | boolean | undefined): Checker {
  if (schema === undefined) return anything;
  const check = compiled(schema);
  if (!check) return anything;
  return (value) => {
    if (check(value)) return [];
    return (check.errors ?? []).map(({ instancePath, message }) => ({
      path: instancePath.split('/').slice(1).map(unescaped),
      message: message ?? 'does not fit the schema',
    }));
  };
}

function compiled(schema: JsonObject | boolean) {
  try {
    const ajv = new Ajv2020({ strict: false, allErrors: true, logger: false });
    ajvFormats.default(ajv);
    return ajv.compile(schema);
  } catch {
    return undefined;
  }
}

/** RFC 6901. */
const unescaped = (segment: string): string => segment.replaceAll('~1', '/').replaceAll('~0', '~');
