import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from './build.ts';
import { SpecError } from './spec-error.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));

try {
  for (const [path, content] of await build(repository)) {
    mkdirSync(dirname(join(repository, path)), { recursive: true });
    writeFileSync(join(repository, path), content);
    console.log(path);
  }
} catch (error) {
  if (!(error instanceof SpecError)) throw error;
  console.error(`generate: ${error.message}`);
  process.exitCode = 1;
}
