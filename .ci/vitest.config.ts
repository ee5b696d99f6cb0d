import { defineConfig } from 'vitest/config';

/** Tests run on the sources: the `turnwire-source` condition of each package's `exports` points at `src/`. */
const conditions = ['turnwire-source', 'node', 'import', 'default'];

/** What takes minutes of real time runs by `npm run test:nightly` alone. */
const nightly = process.env.TURNWIRE_NIGHTLY === '1';

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: [`{spec,sdk,harness,orchestrator,custodian,contract-tests,.ci}/**/*${nightly ? '.nightly' : ''}.test.ts`],
    exclude: ['**/node_modules/**', '**/dist/**', ...(nightly ? [] : ['**/*.nightly.test.ts'])],
    passWithNoTests: nightly,
    setupFiles: [new URL('vitest.setup.ts', import.meta.url).pathname],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 20_000,
    coverage: {
      provider: 'v8',
      reportOnFailure: true,
      reportsDirectory: 'coverage',
      reporter: ['text-summary', 'json-summary'],
      include: [
        '{spec/generate,sdk/typescript/src,sdk/typescript-server/src}/**/*.ts',
        '{harness,orchestrator,custodian,contract-tests}/src/**/*.ts',
      ],
      // What runs as a program of its own is tested as one, and not seen from inside.
      exclude: ['**/gen/**', '**/*.test.ts', '**/*.fixture.ts', '**/testing/**', 'sdk/typescript/src/adapter.ts'],
    },
  },
});
