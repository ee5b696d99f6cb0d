/** Which operation of the documents a request is; the paths are the documents' own. */
import { paths } from '../spec.ts';

interface Route {
  readonly method: string;
  readonly pattern: RegExp;
  readonly operation: string;
}

const routes: readonly Route[] = paths.map(({ method, path, operation }) => ({
  method: method.toUpperCase(),
  pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
  operation,
}));

/** The operation and its path parameters, decoded; `undefined` where no document has it. */
export function operationOf(
  method: string,
  path: string,
): { operation: string; path: Record<string, string> } | undefined {
  for (const { method: own, pattern, operation } of routes) {
    const found = own === method ? pattern.exec(path) : null;
    if (found === null) continue;
    const parameters = Object.entries(found.groups ?? {}).map(([name, value]) => [name, decodeURIComponent(value)]);
    return { operation, path: Object.fromEntries(parameters) };
  }
  return undefined;
}
