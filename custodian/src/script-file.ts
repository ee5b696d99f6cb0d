/** The Lua of the Envoy engine; it lies beside `src/` and `dist/`, so that it is found from either. */
export const scriptFile = new URL('../envoy/custodian.lua', import.meta.url);
