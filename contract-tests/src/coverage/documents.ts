/** The operations of the three documents, as the kit has them from the spec. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

export const documentNames = ['harness', 'orchestrator', 'custodian'] as const;
export type DocumentName = (typeof documentNames)[number];

export interface Operation {
  readonly document: DocumentName;
  readonly operationId: string;
  /** In upper case. */
  readonly method: string;
  readonly path: string;
  readonly statuses: readonly string[];
  /** Whether it takes a token, which one by its name in the document, and whether it takes a body. */
  readonly secured: boolean;
  readonly token: string | undefined;
  readonly takesBody: boolean;
}

interface Written {
  readonly operationId?: string;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly requestBody?: object;
  readonly responses?: Readonly<Record<string, unknown>>;
}
interface Document {
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Written>>>>;
}

const require = createRequire(import.meta.url);

export const operations: readonly Operation[] = documentNames.flatMap((document) => {
  const { paths, security = [] }: Document = JSON.parse(
    readFileSync(require.resolve(`@turnwire/spec/gen/${document}.json`), 'utf8'),
  );
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, of]): Operation[] => {
      if (of.operationId === undefined || of.responses === undefined) return [];
      const statuses = Object.keys(of.responses);
      const [first] = of.security ?? security;
      const secured = first !== undefined;
      const token = first && Object.keys(first)[0];
      const takesBody = of.requestBody !== undefined;
      return [{ document, operationId: of.operationId, method: method.toUpperCase(), path, statuses, secured, token, takesBody }];
    }),
  );
});

const patterns = operations.map((operation) => ({
  operation,
  pattern: new RegExp(`^${operation.path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}));

/** The operation of a document that a request is; undefined where it has none. */
export function operationAt(document: DocumentName, method: string, target: string): Operation | undefined {
  const path = target.split('?', 1)[0] ?? '';
  return patterns.find(
    ({ operation, pattern }) =>
      operation.document === document && operation.method === method && pattern.test(path),
  )?.operation;
}

/** How coverage names an answer. */
export const answerOf = (document: DocumentName, operationId: string, status: number | string): string =>
  `${document} ${operationId} ${status}`;
