/** The adapter of the TypeScript SDK as one file, with one difference or none: what the kit is tested with. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { parse } from 'yaml';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const sources = join(root, 'sdk', 'typescript');
/** Inside the repository, so that the packages that stay outside of the bundle are found. */
const built = join(root, 'node_modules', '.cache', 'turnwire-broken-client');

export interface Difference {
  readonly name: string;
  readonly says: string;
  /** Ids of the checks that are meant to catch it. */
  readonly caughtBy: readonly string[];
  /** A file of the SDK, a piece of a line of it, and what stands there instead. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

export const differences: readonly Difference[] = parse(
  readFileSync(new URL('differences.yaml', import.meta.url), 'utf8'),
);

/** Resolves with the file that Node runs. Rejects when the piece to be changed is not there (any more) exactly once. */
export async function buildAdapter(difference?: Difference): Promise<string> {
  const outfile = join(built, 'dist', `${difference?.name ?? 'reference'}.mjs`);
  mkdirSync(dirname(outfile), { recursive: true });
  writeFileSync(join(built, 'package.json'), readFileSync(join(sources, 'package.json')));
  await build({
    entryPoints: [join(sources, 'src', 'adapter.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    logLevel: 'silent',
    plugins: difference === undefined ? [] : [changed(difference)],
  });
  return outfile;
}

function changed({ name, file, from, to }: Difference): Plugin {
  const path = join(sources, 'src', file);
  return {
    name: 'one-difference',
    setup({ onLoad }) {
      onLoad({ filter: new RegExp(`^${path.replaceAll('.', '\\.')}$`) }, () => {
        const [before = '', after, ...more] = readFileSync(path, 'utf8').split(from);
        if (after === undefined || more.length > 0)
          throw new Error(`${name}: ${file} holds ${after === undefined ? 'nowhere' : 'more than once'}: ${from}`);
        return { contents: `${before}${to}${after}`, loader: 'ts' };
      });
    },
  };
}
