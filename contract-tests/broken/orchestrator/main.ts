/** Serves a broken orchestrator, for a look at how the kit catches it: `npx tsx contract-tests/broken/orchestrator/main.ts NAME serve`. */
import { serveNamed } from '../bundle.ts';
import { buildOrchestrator, differences } from './build.ts';

await serveNamed(differences, buildOrchestrator);
