import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { SubjectError } from '../harness/subject.ts';
import { type AdapterCommand, type AdapterResult, type Introduction, introductionOf, readResult } from './protocol.ts';

export { SubjectError };

interface Waiting {
  resolve(result: AdapterResult): void;
  reject(error: SubjectError): void;
}

/** How much of what a subject says on its standard error is kept for a trace, in characters. */
const keptOfErrors = 2_000;

/** One adapter process. */
export class Adapter {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<string, Waiting>();
  #errors = '';
  #failure: SubjectError | undefined;
  #count = 0;

  private constructor(command: string) {
    // A shell, for what people write; a group of its own, so that nothing of it is left behind.
    this.#child = spawn(command, { shell: true, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
    this.#child.on('error', (error) => this.#fail(`could not be started: ${error.message}`));
    this.#child.on('exit', (code, signal) => this.#fail(`ended by itself (${signal ?? `exit code ${code}`})`));
    this.#child.stdin?.on('error', () => {});
    this.#child.stderr?.on('data', (piece: Buffer) => {
      this.#errors = (this.#errors + piece.toString()).slice(-keptOfErrors);
    });
    if (this.#child.stdout) createInterface({ input: this.#child.stdout }).on('line', (line) => this.#read(line));
  }

  /** Starts the command and lets it introduce itself; rejects with `SubjectError`. */
  static async start(command: string, timeoutMs: number): Promise<{ adapter: Adapter; introduction: Introduction }> {
    const adapter = new Adapter(command);
    try {
      const introduction = introductionOf(await adapter.call({ command: 'init' }, timeoutMs));
      if (introduction === undefined) throw new SubjectError('does not introduce itself as docs/adapters.md says');
      return { adapter, introduction };
    } catch (error) {
      await adapter.stop();
      throw error;
    }
  }

  /** What it said last on its standard error. */
  get errors(): string {
    return this.#errors;
  }

  get alive(): boolean {
    return this.#failure === undefined;
  }

  nextId(): string {
    this.#count++;
    return `${this.#count}`;
  }

  /** One command, one result. Rejects with `SubjectError` when there is none in time; the adapter is of no use then. */
  call(command: Omit<AdapterCommand, 'id'> & { id?: string }, timeoutMs: number): Promise<AdapterResult> {
    const id = command.id ?? this.nextId();
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) return reject(this.#failure);
      const timer = setTimeout(
        () => this.#fail(`gave no result to \`${command.command}\` within ${timeoutMs / 1000} s`),
        timeoutMs,
      );
      const settle =
        <Value>(then: (value: Value) => void) =>
        (value: Value) => {
          clearTimeout(timer);
          this.#waiting.delete(id);
          then(value);
        };
      this.#waiting.set(id, { resolve: settle(resolve), reject: settle(reject) });
      this.#child.stdin?.write(`${JSON.stringify({ ...command, id })}\n`);
    });
  }

  /** Ends the process and everything that it started. */
  async stop(): Promise<void> {
    const { pid } = this.#child;
    this.#fail('was stopped');
    if (pid === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = new Promise((resolve) => this.#child.once('exit', resolve));
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      return;
    }
    await gone;
  }

  #read(line: string): void {
    if (line.trim() === '') return;
    const result = readResult(line);
    if (typeof result === 'string') this.#fail(result);
    else this.#waiting.get(result.id)?.resolve(result);
  }

  #fail(message: string): void {
    this.#failure ??= new SubjectError(message);
    for (const waiting of [...this.#waiting.values()]) waiting.reject(this.#failure);
  }
}
