/** What a command may touch of the process around it; tests give it their own. */
export interface Io {
  out(text: string): void;
  err(text: string): void;
  /** Where relative paths begin. */
  readonly cwd: string;
  /** How this command was called: what a command that is printed has to begin with, so that it works when it is pasted. */
  readonly program: string;
  /** Fires at Ctrl-C, when the terminal is closed, and when nobody reads the output any more. */
  readonly signal: AbortSignal;
  readStdin(): Promise<string>;
}

/** One JSON value on one line. */
export const printJson = (io: Io, value: unknown): void => io.out(`${JSON.stringify(value)}\n`);

/** One line for a person. Some of it was written by agents: what would steer a terminal is made visible. */
export const print = (io: Io, line: string): void => io.out(`${visible(line)}\n`);

/** Control characters as escapes; a line stays one line. */
export const visible = (text: string): string =>
  text.replace(
    /\p{Cc}/gu,
    (character) => NAMED[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };
