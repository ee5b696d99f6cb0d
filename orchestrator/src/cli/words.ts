/** The words of a shell. */

/** As a POSIX shell takes it for one word. */
export const quoted = (word: string): string =>
  /^[\w.,:@%+/=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
