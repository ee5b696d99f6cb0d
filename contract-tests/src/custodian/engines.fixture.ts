/** The two reference engines as subjects of the kit: the Node one, and a real Envoy. */
import type { Difference } from '../../broken/bundle.ts';
import { buildCustodian } from '../../broken/custodian/build.ts';
import { envoyCustodian } from '../../engines/envoy.ts';
import type { CustodianRun } from './run.ts';

export const usual: CustodianRun = { level: 'may', timeoutMs: 30_000, jobs: 6, seed: 1 };

const quoted = (text: string): string => JSON.stringify(text);

export const nodeEngine = async (difference?: Difference): Promise<string> =>
  `node ${quoted(await buildCustodian(difference))} serve`;

export async function envoyEngine(envoy: string): Promise<string> {
  const custodian = `node ${await buildCustodian()}`;
  return `${quoted(envoyCustodian)} --custodian '${custodian}' --envoy ${quoted(envoy)}`;
}
