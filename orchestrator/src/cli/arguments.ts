import { InvalidArgumentError } from 'commander';

/** An id that can stand in a path: a runId, a workflow's name. */
export function urlId(text: string): string {
  if (/^[A-Za-z0-9._~-]{1,128}$/.test(text) && !/^\.+$/.test(text)) return text;
  throw new InvalidArgumentError('It must be 1 to 128 of A-Z a-z 0-9 . _ ~ -');
}

/** A text for people, a cursor: anything but nothing. */
export function someText(text: string): string {
  if (text.trim() !== '') return text;
  throw new InvalidArgumentError('It must not be empty; leave the option out.');
}

/** How many items a list shows. */
export function pageLimit(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= 200) return value;
  throw new InvalidArgumentError('It must be a whole number from 1 to 200.');
}

/** The name of a gate or of an event. */
export function name(text: string): string {
  if (text !== '' && text.length <= 256 && !/^\.+$/.test(text)) return text;
  throw new InvalidArgumentError('It must be a name of 1 to 256 characters.');
}
