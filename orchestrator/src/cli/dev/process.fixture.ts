/** `turnwire dev` as a process of its own, for tests that end it: `process.fixture.ts DIR`, whose roles are the fake ones of DIR. */
import { join } from 'node:path';
import { dev } from '../dev.ts';
import { runInProcess } from '../process.ts';

const [dir = ''] = process.argv.slice(2);
const flags = { workflows: dir, stateDir: join(dir, 'state'), placement: 'local' };

await runInProcess(async (io) => {
  await dev({ ...flags, port: 0, custodianPort: 0, harnessPort: 0, script: join(dir, 'script.json') }, io, ({ name }) =>
    join(dir, `${name}.mjs`),
  );
  return 0;
});
