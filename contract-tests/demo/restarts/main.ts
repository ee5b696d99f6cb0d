/** `npm run demo -- restarts`: nodes that restart, and executions that are not blamed for it, with real processes. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { envoyProgram, noEnvoy } from '../../engines/envoy.ts';
import type { Engine } from '../cast.ts';
import { UsageError } from '../options.ts';
import { Timeline } from '../timeline.ts';
import { audit } from './books.ts';
import { Findings, type Sequence } from './sequence.ts';
import { saved } from './sequences/development.ts';
import { anotherPort, cancelled, knownDown, neverThere, replayed, staysDown } from './sequences/down.ts';
import { crowded, heardAtTheEnd, oneInFive, serverless } from './sequences/health.ts';
import { orchestratorKilled } from './sequences/orchestrator.ts';
import { drained, refusing, registeredAgain, rolled } from './sequences/restart.ts';
import { type Row, table } from './table.ts';
import { Town } from './town.ts';

interface Options {
  readonly short: boolean;
  readonly keep: boolean;
  readonly only?: string;
  readonly custodian: Engine;
}

/** A sequence that takes longer than this will not end by itself, in milliseconds. */
const STUCK_MS = 300_000;

export async function restarts(args: readonly string[]): Promise<number> {
  const options = readOptions(args);
  const folder = mkdtempSync(join(tmpdir(), 'turnwire-restarts-'));
  const timeline = new Timeline((text) => process.stdout.write(text));
  const towns: Town[] = [];
  const clear = (): void => {
    for (const town of towns) town.kill();
    if (options.keep) process.stdout.write(`kept in ${folder}\n`);
    else rmSync(folder, { recursive: true, force: true });
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      clear();
      process.exit(130);
    });
  }
  try {
    const town = await build(join(folder, 'town'), towns, options);
    const mortal = await build(join(folder, 'mortal'), towns, options, town);
    const rows = await play(await tracks(town, mortal, options), timeline, options);
    const books = [await audit(town, true), await audit(mortal, false)];
    for (const each of towns) await each.stop();
    const { text, ok } = table(rows, books);
    process.stdout.write(`\n${text}\n`);
    return ok ? 0 : 1;
  } finally {
    clear();
  }
}

async function build(folder: string, towns: Town[], { custodian }: Options, beside?: Town): Promise<Town> {
  mkdirSync(folder);
  const town = await Town.build({ folder, onLog: () => undefined, engine: custodian, ...(beside && { beside }) });
  towns.push(town);
  return town;
}

/** What shares a node goes one after the other, and the rest side by side. */
async function tracks(town: Town, mortal: Town, { short }: Options): Promise<Sequence[][]> {
  const names = ['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta'];
  const [alpha, beta, gamma, delta, epsilon, zeta] = await Promise.all(names.map((name) => town.node(name)));
  if (!alpha || !beta || !gamma || !delta || !epsilon || !zeta) throw new Error('a node is missing');
  return [
    [rolled(gamma)],
    [registeredAgain(delta)],
    [oneInFive(town, short ? 45_000 : 100_000)],
    [neverThere(town), anotherPort(alpha), cancelled(alpha), replayed(alpha), staysDown(alpha)],
    [drained(beta), refusing(beta, short ? 8_000 : 20_000)],
    [orchestratorKilled(await mortal.node('eta')), crowded(epsilon), knownDown(town, 'crowd'), serverless(town)],
    [heardAtTheEnd(town), saved(zeta, short ? 24_000 : 120_000)],
  ];
}

async function play(all: readonly Sequence[][], timeline: Timeline, { only }: Options): Promise<Row[]> {
  const chosen = all.map((track) => track.filter(({ name }) => only === undefined || name.includes(only)));
  const rows = await Promise.all(
    chosen.map(async (track) => {
      const done: Row[] = [];
      for (const sequence of track) done.push(await one(sequence, timeline));
      return done;
    }),
  );
  return rows.flat();
}

async function one({ name, must, run }: Sequence, timeline: Timeline): Promise<Row> {
  const was = new Findings();
  timeline.say('begins', name);
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error(`it did not end within ${STUCK_MS / 1_000} s`)), STUCK_MS).unref();
  });
  try {
    await Promise.race([run(was), late]);
  } catch (error) {
    was.is((error as Error).message, false);
  }
  timeline.say(was.missed.length === 0 ? 'held' : 'MISSED', name);
  return { name, must, was };
}

function readOptions(args: readonly string[]): Options {
  const command = new Command('npm run demo -- restarts')
    .description('Nodes that restart, and executions that are not blamed for it, with real processes.')
    .option('--short', 'the two longest sequences in a shorter form', false)
    .option('--only <text>', 'the sequences with this text in their name')
    .option('--keep', 'keep the folder with the databases and logs', false)
    .addOption(
      new Option('--custodian <engine>', 'what the Custodians run on').choices(['node', 'envoy']).default('node'),
    )
    .configureOutput({ outputError: () => undefined })
    .exitOverride((error) => {
      if (error.exitCode === 0) process.exit(0);
      throw new UsageError(error.message.replace(/^error: /, '').replaceAll('\n', ' '));
    });
  const options = command.parse(args, { from: 'user' }).opts<Options>();
  if (options.custodian === 'envoy' && envoyProgram() === undefined) throw new UsageError(noEnvoy);
  return options;
}
