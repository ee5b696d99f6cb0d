/** Names of the documents in the style of each language. The wire's own spelling never changes. */

/** `neverDelivered`, `never_delivered`, `tool-call` → `never`, `delivered`. */
const wordsOf = (name: string): string[] =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase());

/** `turnId` → `turn_id`. */
export const snake = (name: string): string => wordsOf(name).join('_');

/** Words that Go writes in capitals. */
const initialisms = new Set(['id', 'iid', 'url', 'http', 'json', 'sse']);

/** `turnId` → `TurnID`. */
export const pascal = (name: string): string =>
  wordsOf(name)
    .map((word) => (initialisms.has(word) ? word.toUpperCase() : word[0]?.toUpperCase() + word.slice(1)))
    .join('');

/** `error` → `Error`, as a part of a type's name. */
export const capitalized = (name: string): string => `${name[0]?.toUpperCase()}${name.slice(1)}`;
