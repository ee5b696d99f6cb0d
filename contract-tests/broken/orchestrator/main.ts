/** Serves a broken orchestrator, for a look at how the kit catches it: `npx tsx contract-tests/broken/orchestrator/main.ts NAME serve`. */
import { buildOrchestrator, differences } from './build.ts';

const [name = '', ...args] = process.argv.slice(2);
const difference = differences.find((each) => each.name === name);
if (!difference && name !== 'reference') {
  process.stderr.write(`one of: reference, ${differences.map((each) => each.name).join(', ')}\n`);
  process.exit(2);
}
const file = await buildOrchestrator(difference);
process.argv = [process.argv[0] ?? '', file, ...args];
await import(file);
