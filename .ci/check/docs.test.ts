import { describe, expect, it } from 'vitest';
import { docs } from './docs.ts';
import { problemsIn } from './repository.ts';

describe('docs', () => {
  it('holds for links and code that name what exists', async () => {
    const text =
      'See [the spec](spec/protocol.md#gen), `spec/openapi/`, `a/b` of no folder, [site](https://x.y/z) and `sdk/x.ts`.';
    const files = { 'README.md': text, 'spec/protocol.md': '', 'spec/openapi/a.yaml': '', 'sdk/x.ts': '' };
    expect(await problemsIn(docs, files)).toEqual([]);
  });

  it('catches a link and a path in code that are gone', async () => {
    const files = { 'spec/README.md': '[x](gone.md) and `spec/gone.ts` and `spec/here/`', 'spec/here/a.ts': '' };
    expect(await problemsIn(docs, files)).toEqual([
      'spec/README.md: `gone.md` does not exist: name what does',
      'spec/README.md: `spec/gone.ts` does not exist: name what does',
    ]);
  });

  it('looks beside the document first, then from the top, and not into code blocks', async () => {
    const files = {
      'spec/vectors/README.md': '[a](../a.md) `spec/a.md`\n```\n[b](nowhere.md)\n```\n',
      'spec/a.md': '',
      'spec/decisions/0001-x.md': '[gone](gone.md)',
    };
    expect(await problemsIn(docs, files)).toEqual([]);
  });
});
