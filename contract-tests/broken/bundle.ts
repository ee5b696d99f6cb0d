/** A reference as one file, with one difference or none: what the kit is tested with. */
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { parse } from 'yaml';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Lines of a reference's file, and what stands there instead. */
export interface Edit {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** A subject that is wrong in one way. */
export interface Difference {
  readonly name: string;
  readonly says: string;
  /** Ids of the checks that are meant to catch it. */
  readonly caughtBy: readonly string[];
  /** What one of those checks must name as violated, where it is none of its own: a requirement that is held in every check. */
  readonly breaks?: readonly string[];
  readonly edits: readonly Edit[];
}

/** The differences that stand beside a file of the kit, in one file for each theme or for all. */
export const differencesBeside = (url: string): readonly Difference[] =>
  readdirSync(new URL('.', url))
    .filter((name) => name.endsWith('.yaml'))
    .flatMap((name): Difference[] => parse(readFileSync(new URL(name, url), 'utf8')));

/** Serves what the command line names: the reference, or it with one difference. */
export async function serveNamed(
  differences: readonly Difference[],
  build: (difference?: Difference) => Promise<string>,
): Promise<void> {
  const [name = '', ...args] = process.argv.slice(2);
  const difference = differences.find((each) => each.name === name);
  if (!difference && name !== 'reference') {
    process.stderr.write(`one of: reference, ${differences.map((each) => each.name).join(', ')}\n`);
    process.exit(2);
  }
  const file = await build(difference);
  process.argv = [process.argv[0] ?? '', file, ...args];
  await import(file);
}

export interface BundleOptions {
  /** The folder of the reference's package. */
  readonly folder: string;
  readonly entry: string;
  readonly name: string;
  readonly edits: readonly Edit[];
  /** Files of the package that it reads when it runs. */
  readonly files?: readonly string[];
}

/** Resolves with the file that Node runs. Rejects when a line to be changed is not there (any more) exactly once. */
export async function bundle({ folder, entry, name, edits, files = [] }: BundleOptions): Promise<string> {
  // Inside the repository, so that the packages that stay outside of the bundle are found.
  const built = join(root, 'node_modules/.cache/turnwire-broken', folder);
  const outfile = join(built, 'dist', `${name}.mjs`);
  for (const file of ['package.json', ...files]) writeWhole(join(built, file), readFileSync(join(root, folder, file)));
  const { outputFiles } = await build({
    write: false,
    entryPoints: [join(root, folder, entry)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: ['turnwire-source'],
    logLevel: 'silent',
    plugins: [ours, changed(name, edits)],
  });
  writeWhole(outfile, outputFiles[0]?.contents ?? '');
  return outfile;
}

let drafts = 0;

/** Whole or not at all: another test may be starting what is there. */
function writeWhole(file: string, contents: string | Uint8Array): void {
  mkdirSync(dirname(file), { recursive: true });
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

function changed(name: string, edits: readonly Edit[]): Plugin {
  return {
    name: 'one-difference',
    setup({ onLoad }) {
      for (const file of new Set(edits.map((edit) => edit.file))) {
        const filter = new RegExp(`^${join(root, file).replaceAll('.', '\\.')}$`);
        onLoad({ filter }, () => ({ contents: edited(file, { name, edits }), loader: 'ts' }));
      }
    },
  };
}

/** A file as a subject has it. Throws when a line to be changed is not there (any more) exactly once. */
export function edited(file: string, { name, edits }: Pick<Difference, 'name' | 'edits'>): string {
  const its = edits.filter((edit) => edit.file === file);
  return its.reduce(
    (source, { from, to }) => {
      const [before = '', after, ...more] = source.split(from);
      if (after === undefined || more.length > 0)
        throw new Error(`${name}: ${file} holds ${after === undefined ? 'nowhere' : 'more than once'}: ${from}`);
      return `${before}${to}${after}`;
    },
    readFileSync(join(root, file), 'utf8'),
  );
}
