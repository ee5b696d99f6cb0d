/** What a command may touch of the process around it; tests give it their own. */
export interface Io {
  out(text: string): void;
  err(text: string): void;
  /** Where relative paths begin. */
  readonly cwd: string;
  /** Fires at Ctrl-C. */
  readonly signal: AbortSignal;
  readStdin(): Promise<string>;
}

/** One JSON value on one line. */
export const printJson = (io: Io, value: unknown): void => io.out(`${JSON.stringify(value)}\n`);

export const print = (io: Io, line: string): void => io.out(`${line}\n`);
