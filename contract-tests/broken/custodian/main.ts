/** Serves a broken custodian, for a look at how the kit catches it: `npx tsx contract-tests/broken/custodian/main.ts NAME serve`. */
import { buildCustodian, differences } from './build.ts';

const [name = '', ...args] = process.argv.slice(2);
const difference = differences.find((each) => each.name === name);
if (!difference && name !== 'reference') {
  process.stderr.write(`one of: reference, ${differences.map((each) => each.name).join(', ')}\n`);
  process.exit(2);
}
const file = await buildCustodian(difference);
process.argv = [process.argv[0] ?? '', file, ...args];
await import(file);
