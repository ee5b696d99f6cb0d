/** Where the tests and the demo find an Envoy, and what starts it as a Custodian. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

export const envoyCustodian = fileURLToPath(new URL('envoy-custodian.sh', import.meta.url));

/** In the checkout's own Python environment, or in the caller's path. */
export function envoyProgram(): string | undefined {
  const folders = [join(root, '.venv/bin'), ...(process.env.PATH ?? '').split(delimiter)];
  return folders.map((folder) => join(folder, 'envoy')).find((file) => existsSync(file));
}

export const noEnvoy = 'there is no Envoy: `npm run tools` installs it, and needs Python 3';
