import * as check from '../shape.ts';
import type { FaultScript } from './script.ts';

const { shape, oneOf, text, whole, amount, flag, fail } = check;

const chance: check.Check = (value, at) =>
  (typeof value === 'number' && value >= 0 && value <= 1) || fail(at, 'must be a number from 0 to 1');

const pattern: check.Check = (value, at) =>
  (typeof value === 'string' && /^(\*|[A-Z]+) [/*]\S*$/.test(value)) ||
  fail(at, 'must be a method and a path, as in `POST /agents/*/events`');

const status: check.Check = (value, at) =>
  (Number.isInteger(value) && (value as number) >= 200 && (value as number) <= 599) || fail(at, 'must be 200 to 599');

const oneLine: check.Check = (value, at) =>
  (typeof value === 'string' && !/[\r\n]/.test(value)) || fail(at, 'must be a text in one line');

const chosen = { on: text, name: text, nth: check.count, chance };

const answer = shape({ status, headers: check.record(oneLine), body: check.anything }, ['status']);

const kinds: Readonly<Record<string, check.Check>> = {
  listener: shape({ on: text, name: text, fault: oneOf('refused', 'full_queue'), forMs: amount }, ['fault']),
  connection: shape({ ...chosen, fault: oneOf('pass', 'silent', 'reset_on_connect') }, ['fault']),
  request: shape(
    {
      ...chosen,
      match: pattern,
      fault: oneOf(
        'pass',
        'silent',
        'reset_early',
        'reset_after_request',
        'close_after_request',
        'garbage',
        'cut_after_headers',
        'cut_body',
        'cut_chunk',
        'stall_body',
        'broken_json',
        'dies_on_reuse',
        'closes_idle',
        'duplicate',
        'late_copy',
        'slow_read',
        'answer',
      ),
      deliver: flag,
      end: oneOf('fin', 'rst'),
      afterBytes: whole(0),
      ms: amount,
      answer,
      downMs: amount,
    },
    ['fault'],
  ),
};

const step: check.Check = (value, at) => {
  if (!check.isRecord(value)) return fail(at, 'must be an object');
  oneOf(...Object.keys(kinds))(value.on, `${at}.on`);
  kinds[value.on as string]?.(value, at);
  if (value.fault === 'answer' && value.answer === undefined) fail(`${at}.answer`, 'is missing');
};

const script = shape({ seed: whole(0), steps: check.list(step) }, ['steps']);

/** The script, or `ShapeError` naming the first thing that is wrong (`steps[2].fault: must be one of …`). */
export function validateFaults(value: unknown): FaultScript {
  script(value, '');
  return value as FaultScript;
}

/** The same from the text of a file; broken JSON is a `ShapeError` too. */
export function parseFaults(source: string): FaultScript {
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch (error) {
    return fail('', `is not JSON (${(error as Error).message})`);
  }
  return validateFaults(value);
}
