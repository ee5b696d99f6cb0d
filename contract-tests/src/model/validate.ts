/** Checks a script, so that a mistake in it is one clear line and not a strange answer later. */
import type { Script } from './script.ts';

/** The script is wrong; the message is one line that names the place. */
export class ScriptError extends Error {
  override readonly name = 'ScriptError';
}

/** Says what is wrong with the value at this place, by throwing `ScriptError`. */
type Check = (value: unknown, at: string) => void;

const fail = (at: string, what: string): never => {
  throw new ScriptError(`${at === '' ? 'the script' : at}: ${what}`);
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const text: Check = (value, at) => typeof value === 'string' || fail(at, 'must be a text');
const flag: Check = (value, at) => typeof value === 'boolean' || fail(at, 'must be true or false');
const anything: Check = () => undefined;

const whole =
  (min: number): Check =>
  (value, at) =>
    (Number.isInteger(value) && (value as number) >= min) || fail(at, `must be a whole number, at least ${min}`);

const amount: Check = (value, at) =>
  (typeof value === 'number' && value >= 0) || fail(at, 'must be a number, at least 0');

const oneOf =
  (...words: string[]): Check =>
  (value, at) =>
    words.includes(value as string) || fail(at, `must be one of ${words.join(', ')}`);

const pattern: Check = (value, at) => {
  text(value, at);
  try {
    new RegExp(value as string);
  } catch (error) {
    fail(at, `is not a regular expression (${(error as Error).message})`);
  }
};

const list =
  (item: Check): Check =>
  (value, at) => {
    if (!Array.isArray(value)) return fail(at, 'must be a list');
    value.forEach((entry, index) => {
      item(entry, `${at}[${index}]`);
    });
  };

const record =
  (item: Check): Check =>
  (value, at) => {
    if (!isRecord(value)) return fail(at, 'must be an object');
    for (const [key, entry] of Object.entries(value)) item(entry, `${at}.${key}`);
  };

const shape =
  (fields: Readonly<Record<string, Check>>, needed: readonly string[] = []): Check =>
  (value, at) => {
    if (!isRecord(value)) return fail(at, 'must be an object');
    const place = (key: string) => (at === '' ? key : `${at}.${key}`);
    for (const key of needed) if (!(key in value)) fail(place(key), 'is missing');
    for (const [key, entry] of Object.entries(value)) {
      const check = Object.hasOwn(fields, key) ? fields[key] : undefined;
      if (check === undefined) return fail(place(key), `is not known here (${Object.keys(fields).join(', ')})`);
      check(entry, place(key));
    }
  };

const either =
  (test: (value: unknown) => boolean, yes: Check, no: Check): Check =>
  (value, at) =>
    test(value) ? yes(value, at) : no(value, at);

const pair: Check = (value, at) => {
  list(whole(1))(value, at);
  const range = value as number[];
  if (range.length !== 2 || (range[0] as number) > (range[1] as number)) fail(at, 'must be [first, last]');
};

const isText = (value: unknown) => typeof value === 'string';
const count = either(Array.isArray, pair, whole(1));
const oneMatcher = either(isText, text, shape({ contains: text, notContains: text, matches: pattern, equals: text }));
const matcher = either(Array.isArray, list(oneMatcher), oneMatcher);
const times = either((value) => typeof value === 'number', whole(0), shape({ min: whole(0), max: whole(0) }));

const condition = shape({
  after: text,
  step: count,
  lastMessage: matcher,
  messages: matcher,
  system: matcher,
  lastToolResult: matcher,
  toolResults: matcher,
  called: record(times),
  tools: list(text),
  model: matcher,
  attempt: count,
});

const extraction: Check = (value, at) => {
  shape({ from: oneOf('lastToolResult', 'lastMessage', 'messages', 'system'), matches: pattern, json: text }, ['from'])(
    value,
    at,
  );
  const given = value as Record<string, unknown>;
  if ('matches' in given === 'json' in given) fail(at, 'needs one of matches and json');
};

const pace = { delayMs: amount, chunkDelayMs: amount, chunkSize: whole(1) };

const reply = shape({
  ...pace,
  text,
  toolCalls: list(shape({ name: text, input: anything, rawArguments: text }, ['name'])),
  usage: shape({ inputTokens: whole(0), outputTokens: whole(0), cachedInputTokens: whole(0) }),
  finishReason: text,
  error: shape({ status: whole(300), message: text, type: text, code: text, retryAfter: amount }, ['status']),
  cut: either(
    isText,
    oneOf('before_headers', 'after_headers'),
    shape({ afterChunks: whole(0), clean: flag }, ['afterChunks']),
  ),
  streamError: shape({ afterChunks: whole(0), message: text }, ['afterChunks', 'message']),
  hang: flag,
});

const script = shape(
  {
    name: text,
    models: list(text),
    apiKey: text,
    defaults: shape(pace),
    rules: list(shape({ name: text, when: condition, extract: record(extraction), reply }, ['reply'])),
  },
  ['rules'],
);

/** The script, or `ScriptError` naming the first thing that is wrong (`rules[2].when.step: must be …`). */
export function validateScript(value: unknown): Script {
  script(value, '');
  if ((value as Script).rules.length === 0) fail('rules', 'must hold at least one rule');
  return value as Script;
}

/** The same from the text of a file; broken JSON is a `ScriptError` too. */
export function parseScript(source: string): Script {
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch (error) {
    return fail('', `is not JSON (${(error as Error).message})`);
  }
  return validateScript(value);
}
