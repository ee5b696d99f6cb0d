import { describe, expect, it } from 'vitest';
import { dependencies, importsOf } from './dependencies.ts';
import { problemsIn } from './repository.ts';

const imports = (specifier: string) => `import { x } from '${specifier}';\n`;

describe('dependencies', () => {
  it('reads every way of importing', () => {
    const source = [
      "import a from 'a';",
      "import {\n  b,\n} from 'b';",
      "export * from 'c';",
      "import 'd';",
      "const e = await import('e');",
      "import type { F } from 'f';",
    ].join('\n');
    expect(importsOf(source)).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  });

  it('holds from the spec by way of the SDK to a service', async () => {
    const files = {
      'sdk/typescript/src/a.ts': imports('@turnwire/spec/gen/harness.json'),
      'sdk/typescript-server/src/a.ts': imports('@turnwire/sdk'),
      'harness/src/a.ts': imports('@turnwire/server') + imports('./b.ts'),
      'harness/src/a.test.ts': imports('../../contract-tests/src/model/server.ts'),
      'harness/bench/a.ts': imports('../../contract-tests/bench/wire.ts'),
    };
    expect(await problemsIn(dependencies, files)).toEqual([]);
  });

  it('catches every import against the direction', async () => {
    const files = {
      'spec/generate/a.ts': imports('../../sdk/typescript/src/table.ts'),
      'sdk/typescript/src/a.ts': imports('@turnwire/server'),
      'harness/src/a.ts': imports('@turnwire/orchestrator'),
      'custodian/src/a.ts': imports('../../harness/src/limits.ts'),
      'harness/src/b.ts': imports('@turnwire/contract-tests'),
      'contract-tests/src/a.ts': imports('@turnwire/sdk'),
    };
    expect(await problemsIn(dependencies, files)).toHaveLength(6);
  });

  it('catches a package that is imported by its folder', async () => {
    const files = { 'harness/src/a.ts': imports('../../sdk/typescript/src/index.ts') };
    expect(await problemsIn(dependencies, files)).toEqual([
      'harness/src/a.ts: import @turnwire/sdk by its name, not as ../../sdk/typescript/src/index.ts',
    ]);
  });

  it('catches Node below a module that must run without it', async () => {
    const files = {
      'sdk/typescript/src/certainty.ts': imports('./evidence.ts'),
      'sdk/typescript/src/evidence.ts': imports('node:net'),
      'sdk/typescript/src/retry.ts': imports('undici'),
      'sdk/typescript/src/client.ts': imports('undici'),
    };
    const problems = await problemsIn(dependencies, files);
    expect(problems).toEqual([
      'sdk/typescript/src/evidence.ts: imports node:net, but sdk/typescript/src/certainty.ts must run without Node',
      'sdk/typescript/src/retry.ts: imports undici, but sdk/typescript/src/retry.ts must run without Node',
    ]);
  });
});
