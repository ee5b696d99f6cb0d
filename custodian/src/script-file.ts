/** The Lua of the Envoy engine; it lies beside `src/` and `dist/`, so that it is found from either. */
export const scriptFile = (name: 'custodian' | 'again'): URL => new URL(`../envoy/${name}.lua`, import.meta.url);
