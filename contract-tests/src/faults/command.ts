import { readFileSync } from 'node:fs';
import { Command, InvalidArgumentError } from 'commander';
import { UsageError } from '../model/command.ts';
import { ShapeError } from '../shape.ts';
import { type Faults, startFaults } from './proxy.ts';
import type { FaultScript } from './script.ts';
import { parseFaults } from './validate.ts';

interface Flags {
  listen: { host: string; port: number };
  upstream: string;
  script: string;
  record?: string;
}

/** `turnwire-contract faults`: the fault proxy as a process. */
export function faultsCommand(): Command {
  return new Command('faults')
    .description('the TCP fault proxy: what a script says happens to each connection and request')
    .requiredOption('--upstream <url>', 'where requests go on to', httpUrl)
    .requiredOption('--script <file>', 'what happens to them, see docs/faults.md')
    .option('--listen <host:port>', 'address to listen at, port 0 for a free one', hostAndPort, {
      host: '127.0.0.1',
      port: 0,
    })
    .option('--record <file>', 'append one JSON line per event to this file')
    .action(async (flags: Flags) => serve(flags));
}

function hostAndPort(text: string): Flags['listen'] {
  const [, host, port] = /^(?:(\[[^\]]+\]|[^:]+):)?(\d{1,5})$/.exec(text) ?? [];
  if (port === undefined || Number(port) > 65_535) throw new InvalidArgumentError('must be HOST:PORT');
  return { host: (host ?? '127.0.0.1').replace(/^\[|\]$/g, ''), port: Number(port) };
}

function httpUrl(text: string): string {
  if (!URL.canParse(text) || new URL(text).protocol !== 'http:') throw new InvalidArgumentError('must be an http URL');
  return text;
}

async function serve({ listen, upstream, script: file, record }: Flags): Promise<void> {
  const script = readScript(file);
  const faults = await start({ script, upstream, ...listen, ...(record !== undefined && { record }) });
  const line = { event: 'listening', role: 'faults', url: faults.url, pid: process.pid };
  process.stdout.write(`${JSON.stringify(line)}\n`);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void faults.close());
}

function readScript(file: string): FaultScript {
  let source: string;
  try {
    source = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`cannot read the script ${file}: ${(error as Error).message}`);
  }
  try {
    return parseFaults(source);
  } catch (error) {
    if (error instanceof ShapeError) throw new UsageError(`${file}: ${error.message}`);
    throw error;
  }
}

async function start(options: Parameters<typeof startFaults>[0]): Promise<Faults> {
  try {
    return await startFaults(options);
  } catch (error) {
    throw new UsageError(`cannot listen at ${options.host}:${options.port}: ${(error as Error).message}`);
  }
}
