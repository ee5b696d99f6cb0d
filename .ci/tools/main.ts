import { fileURLToPath } from 'node:url';
import { preparePython } from './python.ts';

/** What the tests need beside Node: `npm run tools`. `npm test` does the same by itself. */
const root = fileURLToPath(new URL('../..', import.meta.url));
const python = await preparePython({ root, requirements: fileURLToPath(new URL('requirements.txt', import.meta.url)) });
if ('missing' in python) {
  process.stderr.write(`tools: ${python.missing}; what needs them is skipped\n`);
  process.exitCode = 1;
} else process.stdout.write(`tools: ${python.bin}\n`);
