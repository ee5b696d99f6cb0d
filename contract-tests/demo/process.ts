import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** One line of a role's log, as it came: JSON where the role wrote JSON. */
export interface LogLine {
  readonly role: string;
  readonly msg: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface Started {
  readonly role: string;
  readonly url: string;
  readonly pid: number;
  /** Sends a signal and waits for the end; resolves to the exit code, or the signal's name. */
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | string>;
  signal(signal: 'SIGTERM'): void;
  readonly ended: Promise<number | string>;
}

export interface StartOptions {
  readonly role: string;
  readonly bin: string;
  /** What runs it; Node when absent. */
  readonly program?: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  onLog(line: LogLine): void;
}

/** Starts a role as its users do, by its command, and waits for the line that says where it listens. */
export async function start(options: StartOptions): Promise<Started> {
  const { role, bin, args, cwd } = options;
  const child = spawn(options.program ?? process.execPath, [bin, ...args], {
    cwd,
    env: { ...inherited(), ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit').then(([code, signal]) => (signal ?? code ?? 1) as number | string);
  const last: string[] = [];
  createInterface({ input: child.stderr }).on('line', (text) => {
    last.push(text);
    if (last.length > 20) last.shift();
    options.onLog(parseLine(role, text));
  });
  const url = await listening(child, role, ended, last);
  return {
    role,
    url,
    pid: child.pid as number,
    ended,
    signal: (signal) => void child.kill(signal),
    stop: (signal) => {
      child.kill(signal);
      return ended;
    },
  };
}

/** The machine's environment without any setting of ours: each role gets exactly what the story gives it. */
function inherited(): Record<string, string> {
  const entries = Object.entries(process.env).filter(
    ([name, value]) => value !== undefined && !name.startsWith('TURNWIRE_'),
  );
  return Object.fromEntries(entries) as Record<string, string>;
}

function listening(
  child: ChildProcess,
  role: string,
  ended: Promise<number | string>,
  last: readonly string[],
): Promise<string> {
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (text) => {
      const { fields } = parseLine(role, text);
      if (fields.event === 'listening') resolve(String(fields.url));
    });
    ended.then((code) => reject(new Error(`the ${role} ended with ${code} before it listened: ${last.join(' | ')}`)));
  });
}

function parseLine(role: string, text: string): LogLine {
  try {
    const fields = JSON.parse(text) as Record<string, unknown>;
    return { role, msg: String(fields.msg ?? ''), fields };
  } catch {
    return { role, msg: text, fields: {} };
  }
}
