/** A programmer's errors: thrown as `TypeError`s that name the argument, before anything is sent (TW-CER-018). */

/** An iid: URL-safe, no slash, and no dot segment. */
export function checkIid(iid: unknown): asserts iid is string {
  need(
    typeof iid === 'string' && /^[A-Za-z0-9._~-]{1,128}$/.test(iid) && !isDots(iid),
    'iid',
    '1–128 of A-Z a-z 0-9 . _ ~ -',
  );
}

/** A name that becomes one segment of a path. */
export function checkSegment(value: unknown, argument: string): asserts value is string {
  need(typeof value === 'string' && value !== '' && !isDots(value), argument, 'a name that can stand in a path');
}

/** A key or a delivery id (TW-GEN-017). */
export function checkKey(value: unknown, argument: string): asserts value is string {
  need(typeof value === 'string' && /^[\x21-\x7e]{1,128}$/.test(value), argument, '1–128 visible ASCII characters');
}

/** A string that is not empty. */
export function checkText(value: unknown, argument: string): asserts value is string {
  need(typeof value === 'string' && value !== '', argument, 'a string that is not empty');
}

/** Seconds that a poll is parked. */
export function checkWait(value: unknown, longest: number, argument: string): asserts value is number {
  need(
    typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= longest,
    argument,
    `whole seconds, 0–${longest}`,
  );
}

/** Milliseconds of an option. */
export function checkMs(value: unknown, longest: number, argument: string): void {
  const fine = typeof value === 'number' && value >= 0 && value <= longest;
  need(value === undefined || fine, argument, `milliseconds, 0–${longest}`);
}

/** The text of one header. */
export function checkHeaderText(value: unknown, argument: string): asserts value is string {
  const fine = typeof value === 'string' && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
  need(fine, argument, 'a header value in one line');
}

/** Headers as undici takes them; a line break in one would be another header. */
export function checkHeaders(headers: Readonly<Record<string, unknown>>, argument: string): void {
  for (const [name, value] of Object.entries(headers)) {
    need(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name), argument, `header names, not ${JSON.stringify(name)}`);
    checkHeaderText(value, `${argument}.${name}`);
  }
}

/** What ends a call. */
export function checkSignal(value: unknown, argument: string): void {
  need(value === undefined || value instanceof AbortSignal, argument, 'an AbortSignal');
}

/** An `undefined` would vanish from a JSON text and make another request of it. */
export function given(value: unknown, argument: string): unknown {
  need(value !== undefined, argument, 'a JSON value');
  return value;
}

/** The JSON text of a value. */
export function jsonText(value: unknown, argument: string): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    throw new TypeError(`${argument}: cannot be written as JSON: ${error instanceof Error ? error.message : error}`);
  }
  need(text !== undefined, argument, 'a value that JSON can write');
  return text;
}

/** An http or https URL without query, fragment and user. */
export function checkBaseUrl(value: unknown, argument: string): URL {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  need(url !== undefined && /^https?:$/.test(url.protocol), argument, 'an absolute http or https URL');
  need(url.search === '' && url.hash === '', argument, 'a URL without query and fragment');
  need(url.username === '' && url.password === '', argument, 'a URL without user and password');
  return url;
}

/** Throws unless `fine`, saying what the argument must be. */
export function need(fine: boolean, argument: string, what: string): asserts fine {
  if (!fine) throw new TypeError(`${argument}: must be ${what}`);
}

const isDots = (value: string): boolean => value === '.' || value === '..';
