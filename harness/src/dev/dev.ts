/** `turnwire-harness dev`: serves in a process of its own, and starts that anew whenever the agents file is saved. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createLogger, type Logger } from '@turnwire/server';
import { SAME_SIGNAL_MS } from '../limits.ts';
import { LEASH, SERVES } from './leash.ts';
import { begin, type DevEvent, type DevStep, step } from './step.ts';
import { watchFile } from './watch-file.ts';

export interface DevOptions {
  readonly agentsFile: string;
  /** The settings of the serving process, as its environment. */
  readonly env: Readonly<Record<string, string>>;
  /** How this very program is started. */
  readonly program: readonly string[];
}

/** Runs until a signal; the exit code of the process is set then. */
export function dev(options: DevOptions): Promise<number> {
  const log = createLogger('harness-dev');
  return new Promise((resolve) => {
    let { state } = begin;
    let child: ChildProcess | undefined;
    let pause: NodeJS.Timeout | undefined;
    const take = (next: DevStep): void => {
      state = next.state;
      for (const effect of next.effects) {
        if (effect.kind === 'start') {
          clearTimeout(pause);
          child = start(options, happened);
        } else if (effect.kind === 'pause') pause = setTimeout(() => happened({ type: 'paused' }), effect.ms);
        else if (effect.kind === 'say') log[effect.level]({ file: options.agentsFile }, effect.text);
        else if (effect.kind === 'exit') finish(effect.code);
        else child?.kill('SIGTERM');
      }
    };
    const happened = (event: DevEvent): void => take(step(state, event));
    const stopWatching = watchFile(options.agentsFile, () => happened({ type: 'changed' }));
    onEnd(
      () => happened({ type: 'end' }),
      () => happened({ type: 'again' }),
      log,
    );
    const finish = (code: number): void => {
      clearTimeout(pause);
      stopWatching();
      resolve(code);
    };
    take(begin);
  });
}

function start({ env, program }: DevOptions, happened: (event: DevEvent) => void): ChildProcess {
  // A group of its own: Ctrl-C at the terminal reaches this process alone, and a drain is not taken for an abort.
  const child = spawn(process.execPath, [...program, 'serve'], {
    env: { ...process.env, ...env, [LEASH]: String(process.pid) },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    detached: true,
  });
  let over = false;
  let since: number | undefined;
  const ended = (how: string, code: number | null): void => {
    const servedMs = since === undefined ? undefined : performance.now() - since;
    if (!over) happened({ type: 'exited', how, code, ...(servedMs !== undefined && { servedMs }) });
    over = true;
  };
  child.on('message', (said) => {
    if (said === SERVES) since ??= performance.now();
  });
  child.once('error', (error) => ended(error.message, 1));
  child.once('exit', (code, signal) => ended(signal ?? `exit ${code}`, code));
  return child;
}

/**
 * Signals, and a terminal that is closed. One that comes twice at once is one: npm passes Ctrl-C on once more. They are
 * listened to until the process is gone, so that a late one does not change how it ends.
 */
function onEnd(end: () => void, again: () => void, log: Logger): void {
  let asked: number | undefined;
  const listener = (): void => {
    const now = performance.now();
    if (asked === undefined) {
      asked = now;
      log.info('draining');
      end();
    } else if (now - asked > SAME_SIGNAL_MS) again();
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, listener);
}
