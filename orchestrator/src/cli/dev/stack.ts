/** The processes of `turnwire dev`: brought up one after another, drained in the order that lets work finish. */
import { join } from 'node:path';
import { DEV_DRAIN_SECONDS } from '../../limits.ts';
import { freePort } from '../ports.ts';
import { BINS, type Bin, packageFolder } from './bins.ts';
import { Child, type ChildSpec, type Exit } from './child.ts';
import { addressFileOf } from './claim.ts';
import { type Addresses, harnessEnvironment, hasModel, plainEnvironment, scriptedModel } from './environment.ts';
import { devSecrets } from './secrets.ts';

export interface StackOptions {
  readonly workflows: string;
  readonly stateDir: string;
  readonly placement: string;
  readonly ports: { readonly orchestrator: number; readonly custodian: number; readonly harness: number };
  /** The scripted model's script; without one, that of the kit. */
  readonly script?: string;
  readonly env: NodeJS.ProcessEnv;
  /** Fires at Ctrl-C while they come up. */
  readonly signal: AbortSignal;
  readonly onLine: ChildSpec['onLine'];
  /** Where a command's script lies. */
  readonly find: (bin: Bin) => string;
}

export interface Stack extends Addresses {
  readonly model?: string;
  /** The first of them that ends by itself. */
  readonly died: Promise<{ name: string; exit: Exit }>;
  /** The Harness first, while its turns can still pick; then what stands behind it. */
  stop(): Promise<void>;
  /** At once. */
  kill(): void;
}

/** @throws CliError or StartError when one of them does not come up; the others are stopped again */
export async function startStack(options: StackOptions): Promise<Stack> {
  const children: Child[] = [];
  const start = (name: string, bin: Bin, args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> => {
    options.signal.throwIfAborted();
    const child = new Child({
      name,
      script: options.find(bin),
      args,
      env,
      onLine: options.onLine,
      // Of all of them it is the one that the address is of.
      ...(name === 'orchestrator' && { addressFile: addressFileOf(options.stateDir) }),
    });
    children.push(child);
    return child.listening();
  };
  const giveUp = () => void stopInOrder(children);
  options.signal.addEventListener('abort', giveUp);
  try {
    return await bringUp(options, start, children);
  } catch (error) {
    await stopInOrder(children);
    throw error;
  } finally {
    options.signal.removeEventListener('abort', giveUp);
  }
}

type Start = (name: string, bin: Bin, args: readonly string[], env: NodeJS.ProcessEnv) => Promise<string>;

async function bringUp(options: StackOptions, start: Start, children: readonly Child[]): Promise<Stack> {
  const { env, stateDir, placement, ports } = options;
  const secrets = devSecrets(stateDir, placement);
  // Known before it listens: the Orchestrator is told where it will be.
  const harnessPort = await freePort(ports.harness);
  const model = hasModel(env)
    ? undefined
    : await start('model', BINS.contract, modelArguments(options), plainEnvironment(env, false));
  const orchestrator = await start('orchestrator', BINS.orchestrator, ['serve'], {
    ...plainEnvironment(env, false),
    TURNWIRE_PORT: String(await freePort(ports.orchestrator)),
    TURNWIRE_WORKFLOWS: options.workflows,
    TURNWIRE_STATE_DIR: stateDir,
    TURNWIRE_DATABASE_URL: `file:${join(stateDir, 'orchestrator.db')}`,
    TURNWIRE_HARNESS_URL: `http://127.0.0.1:${harnessPort}`,
    TURNWIRE_PLACEMENT: placement,
  });
  const custodian = await start('custodian', BINS.custodian, ['serve'], {
    ...plainEnvironment(env, false),
    TURNWIRE_PORT: String(await freePort(ports.custodian)),
    TURNWIRE_ORCHESTRATOR_URL: orchestrator,
    TURNWIRE_PLACEMENT_TOKEN_FILE: secrets.placementTokenFile,
  });
  const harness = await start('harness', BINS.harness, ['serve'], {
    ...harnessEnvironment(env, DEV_DRAIN_SECONDS),
    ...(model && scriptedModel(model)),
    TURNWIRE_PORT: String(harnessPort),
    TURNWIRE_HARNESS_TOKEN_SHA256: secrets.harnessTokenSha256,
    TURNWIRE_CUSTODIAN_URL: custodian,
    TURNWIRE_DATA_DIR: join(stateDir, 'harness'),
  });
  return {
    orchestrator,
    custodian,
    harness,
    ...(model && { model }),
    died: Promise.race(children.map(async (child) => ({ name: child.name, exit: await child.exited }))),
    stop: () => stopInOrder(children),
    kill: () => children.forEach((child) => void child.kill()),
  };
}

const modelArguments = (options: StackOptions): string[] => [
  'model',
  '--script',
  options.script ?? kitScript(),
  '--port',
  '0',
];

/** The kit's script for the `review` example; it answers any workflow's first pick as well as it can. */
const kitScript = (): string => join(packageFolder(BINS.contract.package), 'scripts', 'review.json');

/** Last up, first down: that is the Harness, the Custodian, the Orchestrator, the model. */
async function stopInOrder(children: readonly Child[]): Promise<void> {
  for (const child of children.toReversed()) await child.stop();
}
