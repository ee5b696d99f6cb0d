/** What a bundler makes of the SDK: of what is imported alone, and of the pure modules where there is no Node. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { build } from 'vite';
import { expect, it } from 'vitest';
import { protocol } from './gen/protocol.ts';

const index = fileURLToPath(new URL('index.ts', import.meta.url));

/** The bundle of what imports these; other packages stay imports. */
async function bundle(...names: string[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'turnwire-bundle-'));
  const entry = join(folder, 'entry.js');
  writeFileSync(entry, `export { ${names.join(', ')} } from ${JSON.stringify(index)};`);
  const external = (id: string) => !id.startsWith('.') && !id.startsWith('/');
  const options = {
    write: false,
    minify: false,
    lib: { entry, formats: ['es' as const] },
    rolldownOptions: { external },
  };
  try {
    const [first] = [await build({ configFile: false, root: folder, logLevel: 'silent', build: options })].flat();
    if (first === undefined || !('output' in first)) throw new Error('nothing was built');
    return first.output[0].code;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

it('carries what is imported, and nothing of the other seats', async () => {
  const code = await bundle('admit');
  expect(code).toContain('AdmissionSeat');
  for (const foreign of ['followDelivery', 'Outcomes', 'StreamWait', 'createParser', 'eventsource-parser']) {
    expect(code.includes(foreign), foreign).toBe(false);
  }
});

it('imports nothing for the pure modules, and they run where there is no Node', async () => {
  const names = ['classify', 'nodeEvidence', 'decide', 'rungMs', 'retryAfterMs', 'outcomeText', 'protocol'];
  const code = await bundle(...names);
  const imports = [...code.matchAll(/^import .*$/gm)].map(([line]) => line);
  expect(imports).toEqual([]);
  const script = code.replace(/^export \{.*\};?$/ms, `({ ${names.join(', ')} })`);
  // A realm with the language and nothing else: no process, no timers, no fetch.
  const pure = runInContext(script, createContext({})) as typeof import('./index.ts');
  const refused = { code: 'ECONNREFUSED', syscall: 'connect' };
  expect(pure.classify({ error: { cause: refused } }).certainty).toBe('never_delivered');
  expect(pure.rungMs(0, () => 0)).toBe(125);
  expect(pure.outcomeText('turn_over', { event: 'approve' })).toContain('approve');
  expect(pure.retryAfterMs('2', undefined, 0)).toBe(2000);
  expect(Object.keys(pure.protocol.evidence)).toEqual(Object.keys(protocol.evidence));
});
