import { readFileSync } from 'node:fs';
import { Command, InvalidArgumentError } from 'commander';
import type { Script } from './script.ts';
import { type Model, startModel } from './server.ts';
import { parseScript, ScriptError } from './validate.ts';

/** What a command says before it exits with this code: one line, no stack. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

interface Flags {
  script: string;
  host: string;
  port: number;
  record?: string;
}

/** `turnwire-contract model --script FILE`: the scripted model server as a process. */
export function modelCommand(): Command {
  return new Command('model')
    .description('the scripted model server: OpenAI chat completions, answered by a script')
    .requiredOption('--script <file>', 'what to answer, see docs/model-script.md')
    .option('--host <host>', 'address to listen at', '127.0.0.1')
    .option('--port <port>', 'port to listen at, 0 for a free one', portNumber, 0)
    .option('--record <file>', 'append one JSON line per request to this file')
    .action(async (flags: Flags) => serve(flags));
}

function portNumber(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new InvalidArgumentError('must be 0 to 65535');
  return port;
}

async function serve(flags: Flags): Promise<void> {
  const { script: file, ...where } = flags;
  const model = await start({ script: readScript(file), ...where }, `${flags.host}:${flags.port}`);
  process.stdout.write(`${JSON.stringify({ event: 'listening', role: 'model', url: model.url, pid: process.pid })}\n`);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void model.close());
}

function readScript(file: string): Script {
  let source: string;
  try {
    source = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`cannot read the script ${file}: ${(error as Error).message}`);
  }
  try {
    return parseScript(source);
  } catch (error) {
    if (error instanceof ScriptError) throw new UsageError(`${file}: ${error.message}`);
    throw error;
  }
}

async function start(options: Parameters<typeof startModel>[0], at: string): Promise<Model> {
  try {
    return await startModel(options);
  } catch (error) {
    throw new UsageError(`cannot listen at ${at}: ${(error as Error).message}`);
  }
}
