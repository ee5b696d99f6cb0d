/** The process under test: started by its command, drained, killed and started again by the kit. */
import { type ChildProcess, spawn } from 'node:child_process';

/** It could not be started; the message is one line. */
export class SubjectError extends Error {
  override readonly name = 'SubjectError';

  /** `code`: with which it ended, when it did; `log`: what it wrote to standard error. */
  constructor(
    message: string,
    readonly code?: number | null,
    readonly log = '',
  ) {
    super(message);
  }
}

/** Characters of its log that are kept. */
const mostLog = 20_000;

/** The groups that are alive: none of them outlives the kit, whatever ends it. */
const alive = new Set<number>();
process.once('exit', () => {
  for (const group of alive) killGroup(group);
});

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It ended in this moment.
  }
}

export class SubjectProcess {
  /** The tail of what it wrote to standard error. */
  log = '';
  stdout = '';
  url = '';
  #pid = 0;
  readonly exited: Promise<number | null>;
  readonly #child: ChildProcess;
  #over = false;

  private constructor(command: string, env: Readonly<Record<string, string>>) {
    // A group of its own: what the command starts is killed with it.
    this.#child = spawn(command, { shell: true, detached: true, env: { ...inherited(), ...env }, stdio: 'pipe' });
    this.#child.stdin?.end();
    this.exited = new Promise((resolve) => {
      this.#child.once('error', () => resolve(null));
      this.#child.once('close', (code) => resolve(code));
    });
    const { pid = 0 } = this.#child;
    if (pid > 0) alive.add(pid);
    void this.exited.then(() => {
      this.#over = true;
      alive.delete(pid);
    });
    this.#child.stderr?.on('data', (data: Buffer) => {
      this.log = (this.log + data.toString()).slice(-mostLog);
    });
    this.#child.stdout?.on('data', (data: Buffer) => {
      this.stdout = (this.stdout + data.toString()).slice(-mostLog);
    });
  }

  /** Resolves when it says that it listens. @throws SubjectError when it does not within the time */
  static async start(
    command: string,
    env: Readonly<Record<string, string>>,
    timeoutMs: number,
  ): Promise<SubjectProcess> {
    const subject = new SubjectProcess(command, env);
    const deadline = performance.now() + timeoutMs;
    while (!subject.#hears()) {
      if (subject.#over)
        throw new SubjectError(`ended before it listened: ${subject.#lastLine()}`, await subject.exited, subject.log);
      if (performance.now() > deadline) {
        await subject.kill();
        throw new SubjectError(`printed no listening line within ${timeoutMs / 1000} s: ${subject.#lastLine()}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return subject;
  }

  get alive(): boolean {
    return !this.#over;
  }

  /** To the process that named itself, not to the shell around it: its exit code is the shell's. */
  signal(name: 'SIGTERM'): void {
    if (!this.#over) process.kill(this.#pid, name);
  }

  /** SIGKILL to everything that the command started; resolves when it is gone. */
  async kill(): Promise<void> {
    const { pid } = this.#child;
    if (pid !== undefined && !this.#over) killGroup(pid);
    await this.exited;
  }

  #hears(): boolean {
    const line = this.stdout
      .split('\n')
      .slice(0, -1)
      .find((each) => each.includes('"listening"'));
    if (line === undefined) return false;
    try {
      const { event, url, pid } = JSON.parse(line) as { event?: string; url?: string; pid?: number };
      if (event !== 'listening' || url === undefined || pid === undefined) return false;
      this.url = url;
      this.#pid = pid;
      return true;
    } catch {
      return false;
    }
  }

  #lastLine(): string {
    const lines = this.log.trim().split('\n');
    // Of a crash the line that names it says more than the last one.
    return lines.find((line) => /^\w*Error\b/.test(line)) ?? (lines.at(-1) || 'it wrote nothing to standard error');
  }
}

/** Nothing of the kit's own surroundings may reach the subject: no setting and no provider's key. */
function inherited(): Record<string, string> {
  const kept = Object.entries(process.env).filter(([name]) => !/^(TURNWIRE|OPENAI|ANTHROPIC)_/.test(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, value ?? '']));
}
