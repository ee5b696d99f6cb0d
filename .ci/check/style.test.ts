import { describe, expect, it } from 'vitest';
import { problemsIn } from './repository.ts';
import { style } from './style.ts';

const lines = (count: number) => 'x;\n'.repeat(count);
const joined = (...parts: string[]) => parts.join('');

describe('style', () => {
  it('holds for files within their caps', async () => {
    const files = {
      'harness/src/a.ts': lines(400),
      'harness/src/a.test.ts': lines(500),
      'sdk/x/gen/a.ts': lines(9000),
    };
    expect(await problemsIn(style, files)).toEqual([]);
  });

  it('catches a file that is too long, of code, of tests and of cases', async () => {
    const files = {
      'harness/src/a.ts': lines(401),
      'harness/src/a.test.ts': lines(501),
      'contract-tests/cases/drain.yaml': lines(401),
    };
    expect(await problemsIn(style, files)).toHaveLength(3);
  });

  it('catches drawers, as a folder and as a file', async () => {
    const files = {
      'harness/src/utils/a.ts': '',
      'harness/src/helpers.ts': '',
      'a/Shared/b.md': '',
      'a/sharedStore.ts': '',
    };
    expect(await problemsIn(style, files)).toHaveLength(3);
  });

  it.each([
    joined('// TO', 'DO later'),
    joined('// FIX', 'ME'),
    joined('it.on', "ly('x')"),
    joined('describe.sk', "ip('x')"),
    joined('const x = y as ', 'any;'),
    joined('// @ts-', 'ignore'),
  ])('catches %s', async (line) => {
    expect(await problemsIn(style, { 'harness/src/a.ts': `ok();\n${line}\n` })).toHaveLength(1);
  });

  it.each(["'ECONNREFUSED'", "'UND_ERR_SOCKET'", "'EAI_AGAIN'", "'ENOTFOUND'", '90_000', '90000', '25_000'])(
    'catches %s written by hand',
    async (text) => {
      const source = `const x = ${text};\n`;
      expect(await problemsIn(style, { 'sdk/typescript/src/a.ts': source })).toHaveLength(1);
      const elsewhere = {
        'sdk/typescript/src/a.test.ts': source,
        'spec/generate/a.ts': source,
        'contract-tests/src/a.ts': source,
      };
      expect(await problemsIn(style, elsewhere)).toEqual([]);
    },
  );

  it.each(['if (answer.status === 404) x();', 'case 410:', 'x({ status: [200, 299] });', "if (code === 'EPIPE') x();"])(
    'catches a status or an errno that an SDK knows by itself: %s',
    async (line) => {
      expect(await problemsIn(style, { 'sdk/typescript/src/a.ts': `${line}\n` })).toHaveLength(1);
      const elsewhere = {
        'sdk/typescript/src/testing/a.ts': line,
        'sdk/typescript/src/limits.ts': line,
        'harness/src/a.ts': line,
      };
      expect(await problemsIn(style, elsewhere)).toEqual([]);
    },
  );

  it('does not take a longer number for a window', async () => {
    expect(await problemsIn(style, { 'harness/src/a.ts': 'const x = 1_900_000 + 250_000;\n' })).toEqual([]);
  });
});
