import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type InputFlags, runInput } from './input.ts';
import { fakeIo } from './io.fixture.ts';

const DIFF = '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n';
const REVIEW = {
  type: 'object',
  required: ['title', 'diff'],
  properties: { title: { type: 'string' }, diff: { type: 'string' }, checkSeconds: { type: 'number' } },
};

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'tw-input-'));
  writeFileSync(join(dir, 'change.diff'), DIFF);
  writeFileSync(join(dir, 'input.json'), '{"title":"t","diff":"d"}');
  writeFileSync(join(dir, 'broken.json'), '{"title":');
  writeFileSync(join(dir, 'number.txt'), '42');
  writeFileSync(join(dir, 'latin1.txt'), Buffer.from([0x66, 0xfc, 0x72]));
  mkdirSync(join(dir, 'folder'));
});
afterAll(() => rmSync(dir, { recursive: true }));

const read = (flags: Partial<InputFlags>, schema: unknown = REVIEW, stdin = '') =>
  runInput({ set: [], ...flags }, fakeIo(dir, stdin), () => Promise.resolve(schema));

describe('the input of a run', () => {
  it('is inline JSON as it is, and the schema is not asked for', async () => {
    const never = () => Promise.reject(new Error('asked'));
    expect(await runInput({ input: '{"a":[1]}', set: [] }, fakeIo(dir), never)).toEqual({ a: [1] });
    expect(await runInput({ set: [] }, fakeIo(dir), never)).toEqual({});
  });

  it('is a JSON file', async () => expect(await read({ input: '@input.json' })).toEqual({ title: 't', diff: 'd' }));

  it('is a diff and a title', async () => {
    expect(await read({ input: '@change.diff', title: 'T' })).toEqual({ title: 'T', diff: DIFF });
    expect(await read({ input: '@change.diff', set: ['title=T'] })).toEqual({ title: 'T', diff: DIFF });
    expect(await read({ set: ['diff=@change.diff', 'title=T'] })).toEqual({ title: 'T', diff: DIFF });
  });

  it('is a title that looks like a file name', async () =>
    expect(await read({ input: '@change.diff', title: '@nowhere' })).toEqual({ title: '@nowhere', diff: DIFF }));

  it('takes values as the schema wants them', async () =>
    expect(await read({ set: ['title=12', 'checkSeconds=3', 'other={"a":1}', 'word=x=y'] })).toEqual({
      title: '12',
      checkSeconds: 3,
      other: { a: 1 },
      word: 'x=y',
    }));

  it('is standard input', async () =>
    expect(await read({ input: '@-', title: 'T' }, REVIEW, DIFF)).toEqual({ title: 'T', diff: DIFF }));

  it('takes a file that happens to be a JSON number for a text', async () =>
    expect(await read({ input: '@number.txt', title: 'T' })).toEqual({ title: 'T', diff: '42' }));

  it('is a text where the whole input is one', async () =>
    expect(await read({ input: '@change.diff' }, { type: 'string' })).toBe(DIFF));

  it('fills the only optional text where none is required', async () =>
    expect(
      await read(
        { input: '@change.diff' },
        { type: 'object', properties: { n: { type: 'number' }, t: { type: ['string', 'null'] } } },
      ),
    ).toEqual({ t: DIFF }));

  it('leaves the given properties of --input to --set to override', async () =>
    expect(await read({ input: '@input.json', set: ['title=new'] })).toEqual({ title: 'new', diff: 'd' }));
});

describe('a wrong input is one line that says what to do', () => {
  it.each<[string, Partial<InputFlags>, unknown, RegExp]>([
    ['inline text', { input: 'hello' }, REVIEW, /^--input is not JSON: .* --input @FILE\)$/],
    ['a missing file', { input: '@nowhere.diff' }, REVIEW, /^nowhere\.diff cannot be read \(ENOENT\); give the path/],
    ['a folder', { input: '@folder' }, REVIEW, /^folder cannot be read \(EISDIR\)/],
    ['a broken JSON file', { input: '@broken.json' }, REVIEW, /^broken\.json is not JSON/],
    ['bytes that are no UTF-8', { input: '@latin1.txt', title: 'T' }, REVIEW, /^latin1\.txt is not UTF-8 text$/],
    [
      'two texts to choose from',
      { input: '@change.diff' },
      REVIEW,
      /2 text inputs that are not given \(title, diff\); .*--set title=@change\.diff/,
    ],
    [
      'no text to fill',
      { input: '@change.diff' },
      { type: 'object', properties: { n: { type: 'number' } } },
      /no text input left for it/,
    ],
    ['a workflow without a schema', { input: '@change.diff' }, null, /no text input left for it/],
    ['a setting without a key', { set: ['=x'] }, REVIEW, /^--set =x is not KEY=VALUE$/],
    ['a setting without a value', { set: ['title'] }, REVIEW, /^--set title is not KEY=VALUE$/],
    ['a setting beside an array', { input: '[1]', set: ['a=1'] }, REVIEW, /need an --input that is a JSON object/],
  ])('%s', async (_name, flags, schema, line) => {
    await expect(read(flags, schema)).rejects.toMatchObject({ exitCode: 2, message: expect.stringMatching(line) });
  });
});
