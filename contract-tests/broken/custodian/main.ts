/** Serves a broken custodian, for a look at how the kit catches it: `npx tsx contract-tests/broken/custodian/main.ts NAME serve`. */
import { serveNamed } from '../bundle.ts';
import { buildCustodian, differences } from './build.ts';

await serveNamed(differences, buildCustodian);
