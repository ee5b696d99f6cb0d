/**
 * The input of a run, from `--input JSON|@FILE` and `--set KEY=VALUE`. A file that holds a JSON object is the input; any
 * other file is text, and fills the one text input of the workflow that nothing else gives.
 */
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { JsonValue } from '@turnwire/sdk';
import { INPUT_FILE_MAX_BYTES } from '../limits.ts';
import { CliError } from './exit.ts';
import type { Io } from './io.ts';

export interface InputFlags {
  readonly input?: string;
  /** `KEY=VALUE`, each; a value `@FILE` is that file's text. */
  readonly set: readonly string[];
  /** The property `title`, as it is: a title that begins with `@` is still a title. */
  readonly title?: string;
}

type JsonObject = { [key: string]: JsonValue };

/** As much of a workflow's input schema as matters here. */
interface Property {
  readonly type?: string | readonly string[];
}

/**
 * @param schemaOf reads the workflow's input schema; asked only where the flags need it
 * @throws CliError, one line that names the flag and the remedy
 */
export async function runInput(flags: InputFlags, io: Io, schemaOf: () => Promise<unknown>): Promise<JsonValue> {
  const given = await readGiven(flags.input, io);
  const alone = flags.set.length === 0 && flags.title === undefined;
  if (given.kind === 'json' && alone) return given.value;
  const schema = new InputSchema(await schemaOf());
  if (given.kind === 'text' && alone && schema.isText) return given.text;
  const start = given.kind === 'json' ? given.value : {};
  if (!isObject(start)) throw new CliError('--set and --title need an --input that is a JSON object, or none');
  const input = await withSettings(start, flags.set, schema, io);
  if (flags.title !== undefined) input.title = flags.title;
  if (given.kind === 'text') input[schema.textKey(given.name, input)] = given.text;
  return input;
}

type Given = { kind: 'json'; value: JsonValue } | { kind: 'text'; text: string; name: string };

async function readGiven(flag: string | undefined, io: Io): Promise<Given> {
  if (flag === undefined) return { kind: 'json', value: {} };
  if (!flag.startsWith('@'))
    return { kind: 'json', value: parseJson(flag, '--input', ' (for text, put it in a file: --input @FILE)') };
  const name = flag.slice(1);
  const text = await readText(name, io);
  const value = tryJson(text);
  // Only an object can be a whole input; a text that happens to be a JSON number is still a text.
  if (value !== undefined && isObject(value)) return { kind: 'json', value };
  if (name.endsWith('.json')) return { kind: 'json', value: parseJson(text, name, '') };
  return { kind: 'text', text, name };
}

async function withSettings(
  start: JsonObject,
  settings: readonly string[],
  schema: InputSchema,
  io: Io,
): Promise<JsonObject> {
  const input: JsonObject = { ...start };
  for (const setting of settings) {
    const at = setting.indexOf('=');
    if (at < 1) throw new CliError(`--set ${setting} is not KEY=VALUE`);
    const key = setting.slice(0, at);
    const value = setting.slice(at + 1);
    input[key] = value.startsWith('@') ? await readText(value.slice(1), io) : schema.read(key, value);
  }
  return input;
}

class InputSchema {
  readonly #properties: Readonly<Record<string, Property>>;
  readonly #required: ReadonlySet<string>;
  /** The whole input is a text. */
  readonly isText: boolean;

  constructor(schema: unknown) {
    const { type, properties, required } = (schema ?? {}) as {
      type?: unknown;
      properties?: Record<string, Property>;
      required?: string[];
    };
    this.#properties = properties ?? {};
    this.#required = new Set(required ?? []);
    this.isText = type === 'string';
  }

  /** A value of the command line as its property wants it: text where it is a text, else JSON where it is JSON. */
  read(key: string, value: string): JsonValue {
    if (isString(this.#properties[key])) return value;
    return tryJson(value) ?? value;
  }

  /** @throws CliError when no property, or more than one, could be meant */
  textKey(file: string, given: Readonly<JsonObject>): string {
    const open = Object.keys(this.#properties).filter((key) => isString(this.#properties[key]) && !(key in given));
    const required = open.filter((key) => this.#required.has(key));
    const candidates = required.length > 0 ? required : open;
    if (candidates.length === 1 && candidates[0] !== undefined) return candidates[0];
    if (candidates.length === 0)
      throw new CliError(`${file} is not a JSON object, and the workflow has no text input left for it`);
    const first = candidates[0];
    throw new CliError(
      `${file} is text, and the workflow has ${candidates.length} text inputs that are not given (${candidates.join(', ')}); name the file's with --set ${first}=@${file}, or give the others with --set KEY=VALUE`,
    );
  }
}

const isString = (property: Property | undefined): boolean =>
  property?.type === 'string' || (Array.isArray(property?.type) && property.type.includes('string'));

const isObject = (value: JsonValue): value is JsonObject =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** What a call asks: JSON where it is JSON, and text as it is anywhere else. @throws CliError naming the file */
export async function callInput(flag: string | undefined, io: Io): Promise<JsonValue> {
  if (flag !== undefined && !flag.startsWith('@')) {
    const value = tryJson(flag);
    return value === undefined ? flag : value;
  }
  const given = await readGiven(flag, io);
  return given.kind === 'json' ? given.value : given.text;
}

/** A JSON value of the command line, or of `@FILE`. @throws CliError naming it */
export async function readJsonArgument(text: string, what: string, io: Io): Promise<JsonValue> {
  if (!text.startsWith('@')) return parseJson(text, what, '');
  return parseJson(await readText(text.slice(1), io), text.slice(1), '');
}

function parseJson(text: string, what: string, remedy: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    throw new CliError(`${what} is not JSON: ${(error as Error).message.replaceAll('\n', ' ')}${remedy}`);
  }
}

function tryJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** The text of a file, `-` being standard input. @throws CliError naming the file */
export async function readText(name: string, io: Io): Promise<string> {
  if (name === '-') return io.readStdin();
  const file = resolve(io.cwd, name);
  try {
    const { size } = await stat(file);
    if (size > INPUT_FILE_MAX_BYTES)
      throw new CliError(`${name} is too large for an input (${size} bytes, at most ${INPUT_FILE_MAX_BYTES})`);
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file));
  } catch (error) {
    if (error instanceof CliError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') throw new CliError(`${name} is not UTF-8 text`);
    throw new CliError(`${name} cannot be read (${code ?? error}); give the path of a file that this user may read`);
  }
}
