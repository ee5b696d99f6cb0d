/** The two reference engines as subjects of the kit: the Node one, and a real Envoy. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildCustodian, type Difference } from '../../broken/custodian/build.ts';
import type { CustodianRun } from './run.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const wrapper = join(root, 'contract-tests/engines/envoy-custodian.js');

export const usual: CustodianRun = { level: 'may', timeoutMs: 30_000, jobs: 6, seed: 1 };

const quoted = (text: string): string => JSON.stringify(text);

/** Where Envoy is: in the checkout's own Python environment, or in the caller's path. */
export function envoyProgram(): string | undefined {
  const folders = [join(root, '.venv/bin'), ...(process.env.PATH ?? '').split(delimiter)];
  return folders.map((folder) => join(folder, 'envoy')).find((file) => existsSync(file));
}

export const noEnvoy = 'there is no Envoy: `npx tsx .ci/tools/main.ts` installs it, and needs Python 3';

export const nodeEngine = async (difference?: Difference): Promise<string> =>
  `node ${quoted(await buildCustodian(difference))} serve`;

export async function envoyEngine(envoy: string): Promise<string> {
  const custodian = `node ${quoted(await buildCustodian())}`;
  return `node ${quoted(wrapper)} --custodian '${custodian}' --envoy ${quoted(envoy)}`;
}
