/** Checks a script, so that a mistake in it is one clear line and not a strange answer later. */
import {
  amount,
  anything,
  type Check,
  count,
  either,
  fail,
  flag,
  list,
  oneOf,
  record,
  ShapeError,
  shape,
  text,
  whole,
} from '../shape.ts';
import type { Script } from './script.ts';

/** The script is wrong; the message is one line that names the place. */
export { ShapeError as ScriptError };

const pattern: Check = (value, at) => {
  text(value, at);
  try {
    new RegExp(value as string);
  } catch (error) {
    fail(at, `is not a regular expression (${(error as Error).message})`);
  }
};

const isText = (value: unknown) => typeof value === 'string';
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
