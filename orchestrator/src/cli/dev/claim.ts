/** One `turnwire dev` per state dir, and the address that it leaves there for other terminals. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { holdFolder } from '@turnwire/server';
import { CliError } from '../exit.ts';

/** While `turnwire dev` runs: its Orchestrator's URL, its own pid, its Harness's and its Custodian's URL, a line each. */
const ADDRESS_FILE = 'orchestrator.url';

export const addressFileOf = (stateDir: string): string => join(stateDir, ADDRESS_FILE);

export interface Address {
  readonly url: string;
  readonly pid?: number;
  readonly harness?: string;
  readonly custodian?: string;
}

/** Where the three roles are. */
export type Roles = Readonly<Record<'orchestrator' | 'custodian' | 'harness', string>>;

/** What the file says, if it is one of ours. */
export function readAddress(stateDir: string): Address | undefined {
  try {
    const [url = '', pid, harness = '', custodian = ''] = readFileSync(addressFileOf(stateDir), 'utf8').split('\n');
    if (!URL.canParse(url)) return undefined;
    return {
      url,
      ...(pid && { pid: Number(pid) }),
      ...(URL.canParse(harness) && { harness }),
      ...(URL.canParse(custodian) && { custodian }),
    };
  } catch {
    return undefined;
  }
}

export interface Claim {
  /** Leaves the addresses; from then on the file is this process's own. */
  publish(roles: Roles): void;
  withdraw(): void;
  release(): void;
}

/**
 * Takes the state dir for this process. The lock is the system's, so a `dev` that was killed keeps nobody out.
 * @throws CliError when another one has it; StartError when the folder cannot be written
 */
export async function claim(stateDir: string): Promise<Claim> {
  let taken = false;
  const onWaiting = () => {
    taken = true;
  };
  const lock = await holdFolder(join(stateDir, 'dev'), { waitMs: 0, onWaiting }).catch((error: unknown) => {
    throw taken ? alreadyRuns(stateDir) : error;
  });
  const file = addressFileOf(stateDir);
  // What is there now was left by one that is gone.
  rmSync(file, { force: true });
  let published = false;
  return {
    publish: ({ orchestrator, harness, custodian }) => {
      published = true;
      writeFileSync(file, `${[orchestrator, process.pid, harness, custodian].join('\n')}\n`);
    },
    withdraw: () => {
      if (published) rmSync(file, { force: true });
      published = false;
    },
    release: () => lock.release(),
  };
}

function alreadyRuns(stateDir: string): CliError {
  const address = readAddress(stateDir);
  const who = address?.pid === undefined ? '' : ` (pid ${address.pid})`;
  const where = address ? ` at ${address.url}${who}` : ', and is still coming up or going';
  return new CliError(
    `turnwire dev already runs here${where}; use that one, stop it with Ctrl-C in its terminal, or give this one a --state-dir of its own`,
  );
}
