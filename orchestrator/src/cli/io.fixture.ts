import type { Io } from './io.ts';

/** An `Io` that keeps what a command prints; `interrupt` is Ctrl-C. */
export interface FakeIo extends Io {
  readonly stdout: string;
  readonly stderr: string;
  interrupt(): void;
}

export function fakeIo(cwd: string, stdin = ''): FakeIo {
  const controller = new AbortController();
  const said = { out: '', err: '' };
  return {
    cwd,
    program: 'turnwire',
    signal: controller.signal,
    out: (text) => {
      said.out += text;
    },
    err: (text) => {
      said.err += text;
    },
    readStdin: () => Promise.resolve(stdin),
    interrupt: () => controller.abort(),
    get stdout() {
      return said.out;
    },
    get stderr() {
      return said.err;
    },
  };
}
