/** Builds the `dist/` of every package, or of those named. Through tsdown's API: its command complains of our Node at each start. */
import { fileURLToPath } from 'node:url';
import { build } from 'tsdown';

const named = process.argv.slice(2);
const config = fileURLToPath(new URL('tsdown.config.ts', import.meta.url));
await build({ config, logLevel: 'warn', ...(named.length > 0 && { filter: named }) });
