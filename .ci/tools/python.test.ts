import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { preparePython } from './python.ts';

describe('the Python environment of a checkout', () => {
  let root: string;
  let requirements: string;
  const python = '/no/such/python';

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'turnwire-tools-'));
    requirements = join(root, 'requirements.txt');
    writeFileSync(requirements, '# nothing\n');
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('is missing in one line where there is no Python', async () => {
    expect(await preparePython({ root, requirements, python })).toEqual({ missing: `${python} is not installed` });
    expect(existsSync(join(root, '.venv.lock'))).toBe(false);
  });

  it('is made once, by two at once, and again when its requirements change', async (context) => {
    const first = await Promise.all([preparePython({ root, requirements }), preparePython({ root, requirements })]);
    if ('missing' in first[0]) return context.skip(first[0].missing);
    const bin = join(root, '.venv/bin');
    expect(first).toEqual([{ bin }, { bin }]);
    const stamp = () => statSync(join(root, '.venv/.requirements')).mtimeMs;
    const made = stamp();
    expect(await preparePython({ root, requirements, python })).toEqual({ bin });
    expect(stamp()).toBe(made);
    writeFileSync(requirements, '# another\n');
    await preparePython({ root, requirements });
    expect(stamp()).toBeGreaterThan(made);
  }, 60_000);

  it('takes a lock over whose holder is gone', async () => {
    mkdirSync(join(root, '.venv.lock'));
    writeFileSync(join(root, '.venv.lock/pid'), '4194304');
    expect(await preparePython({ root, requirements, python })).toMatchObject({ missing: expect.any(String) });
  });
});
