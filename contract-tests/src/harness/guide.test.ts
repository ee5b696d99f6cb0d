/** `docs/running.md` as a reader follows it: every excerpt stands in its file, every command says what the page says. */
import { execFile, execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { noPython } from '../run/python.fixture.ts';

const kit = fileURLToPath(new URL('../..', import.meta.url));
const example = (name: string) => join(kit, 'examples/minimal-harness', name);
const guide = readFileSync(join(kit, 'docs/running.md'), 'utf8');

interface Block {
  readonly language: string;
  /** What stands behind the language: `files=…`, `edit=…`, `restore=…`, `file=…`, `write=…`. */
  readonly words: Readonly<Record<string, string>>;
  readonly text: string;
}

const blocks: Block[] = [...guide.matchAll(/^```(\w+)(?: ([^\n]*))?\n([\s\S]*?)^```/gm)].map(
  ([, language = '', words = '', text = '']) => ({
    language,
    words: Object.fromEntries([...words.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value])),
    text,
  }),
);

interface Vectors {
  readonly vectors: readonly {
    readonly input: { readonly code?: string; readonly text?: string; readonly values: unknown };
    readonly expected: { readonly text: string };
  }[];
}

const folder = mkdtempSync(join(tmpdir(), 'turnwire-guide-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The files of the reader's folder as the step has them. */
function prepare({ files, edit, restore }: Block['words']): void {
  for (const name of [files, restore].flatMap((list) => list?.split(',') ?? [])) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    copyFileSync(example(name), join(folder, name));
  }
  if (edit === undefined) return;
  const [name = '', change = ''] = edit.split(/,(.*)/s);
  const [, from = '', to = ''] = /^s\/(.*)\/(.*)\/$/.exec(spaced(change)) ?? [];
  const before = readFileSync(join(folder, name), 'utf8');
  expect(before, `${name} holds what the guide changes`).toContain(from);
  writeFileSync(join(folder, name), before.replace(from, to));
}

const spaced = (text: string) => text.replaceAll('%20', ' ');

function run(command: string): Promise<string> {
  const main = `node --conditions=turnwire-source --import ${import.meta.resolve('tsx')} ${join(kit, 'src/main.ts')}`;
  const own = command.replaceAll('npx turnwire-contract', main);
  return new Promise((resolve) => {
    execFile('bash', ['-c', own], { cwd: folder, env: process.env, maxBuffer: 1e8 }, (_, out, err) =>
      resolve(out + err),
    );
  });
}

/** A file that the reader writes himself. */
for (const { words, text } of blocks) if (words.write !== undefined) writeFileSync(join(folder, words.write), text);

describe('the guide', () => {
  const excerpts = blocks.filter(({ words }) => words.file !== undefined);
  it.each(excerpts.map((block) => [block.words.file, block] as const))('an excerpt of %s', (file = '', { text }) => {
    expect(readFileSync(example(file), 'utf8')).toContain(text);
  });

  const commands = blocks.flatMap((block, index) =>
    block.language === 'sh' ? [[block.text.trim(), index] as const] : [],
  );
  it.skipIf(noPython).each(commands)(
    '%s',
    async (command, index) => {
      const { words } = blocks[index] as Block;
      const said = blocks[index + 1];
      expect(said?.language, 'what it says stands below').toBe('text');
      prepare(words);
      const out = await run(command);
      for (const line of said?.text.trim().split('\n') ?? []) expect(out).toContain(line);
    },
    120_000,
  );

  it.skipIf(noPython)('brings a renderer of the texts along that renders each vector of the spec', () => {
    const { vectors } = JSON.parse(readFileSync(join(kit, '../spec/vectors/outcomes.json'), 'utf8')) as Vectors;
    const ask =
      'import json,outcomes,sys; print(json.dumps([outcomes.told(*each)[0] for each in json.load(sys.stdin)]))';
    const input = JSON.stringify(vectors.map(({ input: { code, text, values } }) => [code ?? text, values]));
    const out = execFileSync('python3', ['-B', '-c', ask], { cwd: example('.'), input, encoding: 'utf8' });
    expect(JSON.parse(out)).toEqual(vectors.map(({ expected }) => expected.text));
  });

  it('has a row for each option', () => {
    const options = [
      'level',
      'only',
      'skip',
      'capability',
      'known-failing',
      'report',
      'timeout',
      'jobs',
      'trace',
      'seed',
    ];
    for (const option of options) expect(guide).toMatch(new RegExp(`^\\| .*--${option}\\b`, 'm'));
  });
});
