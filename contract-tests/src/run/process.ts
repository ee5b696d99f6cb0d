/** The process of a subject through its starts and deaths. */
import { SubjectProcess } from '../harness/subject.ts';

export class Running {
  #subject: SubjectProcess | undefined;
  #before = '';

  constructor(
    readonly command: string,
    readonly timeoutMs: number,
  ) {}

  get url(): string {
    return this.#subject?.url ?? '';
  }

  /** The tail of what the process of now wrote to standard error. */
  get log(): string {
    return this.#subject?.log ?? '';
  }

  get stdout(): string {
    return this.#subject?.stdout ?? '';
  }

  get alive(): boolean {
    return this.#subject?.alive === true;
  }

  /** What it wrote to standard output and error, all of its processes. */
  get written(): string {
    return this.#before + this.stdout + this.log;
  }

  /** Port of the process before, so that the next one comes back there; a free one for the first. */
  get port(): string {
    return this.#subject ? new URL(this.#subject.url).port : '0';
  }

  /** @throws SubjectError when it does not say that it listens */
  async start(env: Readonly<Record<string, string>>): Promise<void> {
    this.#before = this.written;
    this.#subject = await SubjectProcess.start(this.command, env, this.timeoutMs);
  }

  signal(name: 'SIGTERM'): void {
    this.#subject?.signal(name);
  }

  async kill(): Promise<void> {
    await this.#subject?.kill();
  }

  /** Its exit code, or `late` when it does not end in time. */
  async exit(timeoutMs: number): Promise<number | null | 'late'> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), timeoutMs);
    });
    const code = await Promise.race([this.#subject?.exited ?? Promise.resolve(null), late]);
    clearTimeout(timer);
    return code;
  }
}
