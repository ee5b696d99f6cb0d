import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Check } from './check.ts';

/** A check that is a command of an installed tool: its output is the finding when it fails. */
export function command(name: string, program: string, args: readonly string[]): Check {
  return {
    name,
    run: (root) =>
      new Promise((resolve) => {
        const env = {
          ...process.env,
          NO_COLOR: '1',
          FORCE_COLOR: '0',
          REDOCLY_TELEMETRY: 'off',
          REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
        };
        const child = spawn(join(root, 'node_modules/.bin', program), args, {
          cwd: root,
          env,
          stdio: ['ignore', 'pipe', 'pipe'],
        });
        const output: string[] = [];
        child.stdout.on('data', (chunk: Buffer) => output.push(chunk.toString()));
        child.stderr.on('data', (chunk: Buffer) => output.push(chunk.toString()));
        child.on('error', (error) =>
          resolve({ problems: [`${program} did not start (${error.message}): run \`npm ci\``] }),
        );
        child.on('close', (code) => resolve({ problems: code === 0 ? [] : linesOf(output.join(''), program, code) }));
      }),
  };
}

function linesOf(output: string, program: string, code: number | null): string[] {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  return lines.length > 0 ? lines : [`${program} ended with ${code} and said nothing`];
}
