import { readFileSync } from 'node:fs';

/** Name and version of this package, read from its own manifest: `src/` and `dist/` lie at the same depth. */
export function software(): { name: string; version: string } {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string };
  return { name: '@turnwire/orchestrator', version: manifest.version };
}
