/** Makes workflow modules importable: TypeScript by tsx, and this package, XState and zod from a folder that has none installed. */
import { register as registerHooks } from 'node:module';
import { register as registerTsx } from 'tsx/esm/api';

/** What a workflow module may import without having it installed beside it: the host's own copies are right for it. */
const PROVIDED = ['@turnwire/orchestrator', 'xstate', 'zod'];

// Runs in the loader's thread, where this package's files are not at hand: so it is text.
const fallback = `
let home; let provided;
export function initialize(data) { home = data.home; provided = data.provided; }
export async function resolve(specifier, context, next) {
  try { return await next(specifier, context); }
  catch (error) {
    const known = provided.some((name) => specifier === name || specifier.startsWith(name + '/'));
    if (!known || error?.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    return next(specifier, { ...context, parentURL: home });
  }
}`;

let ready: Promise<void> | undefined;

/** Once per process: hooks stay, and a second registration would compile every module twice. */
export function readyToImport(): Promise<void> {
  ready ??= Promise.resolve().then(() => {
    registerTsx();
    registerHooks(`data:text/javascript,${encodeURIComponent(fallback)}`, {
      data: { home: import.meta.url, provided: PROVIDED },
    });
  });
  return ready;
}
