/** The reference harness as one file, with one difference or none: what the kit is tested with. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { parse } from 'yaml';

const root = fileURLToPath(new URL('../../..', import.meta.url));
/** Inside the repository, so that the packages that stay outside of the bundle are found. */
const built = join(root, 'node_modules', '.cache', 'turnwire-broken-harness');

export interface Difference {
  readonly name: string;
  readonly says: string;
  /** Ids of the checks that are meant to catch it. */
  readonly caughtBy: readonly string[];
  /** Lines of the reference, and what stands there instead. */
  readonly edits: readonly { readonly file: string; readonly from: string; readonly to: string }[];
}

export const differences: readonly Difference[] = parse(
  readFileSync(new URL('differences.yaml', import.meta.url), 'utf8'),
);

/** Resolves with the file that Node runs. Rejects when a line to be changed is not there (any more) exactly once. */
export async function buildHarness(difference?: Difference): Promise<string> {
  const outfile = join(built, 'dist', `${difference?.name ?? 'reference'}.mjs`);
  mkdirSync(dirname(outfile), { recursive: true });
  writeWhole(join(built, 'package.json'), readFileSync(join(root, 'harness', 'package.json')));
  const { outputFiles } = await build({
    write: false,
    entryPoints: [join(root, 'harness', 'src', 'main.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: ['turnwire-source'],
    logLevel: 'silent',
    plugins: [ours, ...(difference ? [changed(difference)] : [])],
  });
  writeWhole(outfile, outputFiles[0]?.contents ?? '');
  return outfile;
}

let drafts = 0;

/** Whole or not at all: another test may be starting what is there. */
function writeWhole(file: string, contents: string | Uint8Array): void {
  const draft = `${file}.${process.pid}.${++drafts}`;
  writeFileSync(draft, contents);
  renameSync(draft, file);
}

/** Our own packages are bundled from their sources; what they depend on is not. */
const ours: Plugin = {
  name: 'ours',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === 'entry-point' || /^@turnwire\/(sdk|server)$/.test(path) ? undefined : { path, external: true },
    );
  },
};

function changed({ name, edits }: Difference): Plugin {
  return {
    name: 'one-difference',
    setup({ onLoad }) {
      for (const file of new Set(edits.map((edit) => edit.file))) {
        const path = join(root, file);
        onLoad({ filter: new RegExp(`^${path.replaceAll('.', '\\.')}$`) }, () => {
          const contents = edits.filter((edit) => edit.file === file).reduce(edited, readFileSync(path, 'utf8'));
          return { contents, loader: 'ts' };
        });
      }
    },
  };

  function edited(source: string, { file, from, to }: Difference['edits'][number]): string {
    const [before = '', after, ...more] = source.split(from);
    if (after === undefined || more.length > 0)
      throw new Error(`${name}: ${file} holds ${after === undefined ? 'nowhere' : 'more than once'}: ${from}`);
    return `${before}${to}${after}`;
  }
}
