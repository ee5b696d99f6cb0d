/**
 * Makes workflow modules importable: TypeScript by tsx; as ES modules, whatever the nearest package.json says; and with this package,
 * XState and zod at hand in a folder that has none installed.
 */
import { register as registerHooks } from 'node:module';
import { sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { register as registerTsx } from 'tsx/esm/api';

/** What a workflow module may import without having it installed beside it: the host's own copies are right for it. */
const PROVIDED = ['@turnwire/orchestrator', 'xstate', 'zod'];

// Runs in the loader's thread, where this package's files are not at hand: so it is text.
const HOOKS = `
let data;
export function initialize(given) { data = given; }
const ours = (url) => url?.startsWith(data.folder) && !url.includes('/node_modules/');
export async function resolve(specifier, context, next) {
  const resolved = await resolveOrProvide(specifier, context, next);
  return ours(resolved.url) && /\\.(ts|js)$/.test(resolved.url.split('?')[0]) ? { ...resolved, format: 'module' } : resolved;
}
async function resolveOrProvide(specifier, context, next) {
  try { return await next(specifier, context); }
  catch (error) {
    const known = data.provided.some((name) => specifier === name || specifier.startsWith(name + '/'));
    if (!known || error?.code !== 'ERR_MODULE_NOT_FOUND' || !ours(context.parentURL)) throw error;
    return next(specifier, { ...context, parentURL: data.home });
  }
}`;

const ready = new Set<string>();

/** Once per folder: hooks stay for the life of the process, and tsx twice would compile every module twice. */
export function readyToImport(folder: string): void {
  const url = pathToFileURL(folder + sep).href;
  if (ready.has(url)) return;
  if (ready.size === 0) registerTsx();
  ready.add(url);
  registerHooks(`data:text/javascript,${encodeURIComponent(HOOKS)}`, {
    data: { folder: url, home: import.meta.url, provided: PROVIDED },
  });
}
