import { fileURLToPath } from 'node:url';
import { type createInstance, getHttpOperationsFromSpec } from '@stoplight/prism-http';

/** The documents of the spec, in the order in which a prompt meets their roles. */
export const documentNames = ['harness', 'orchestrator', 'custodian'] as const;
export type DocumentName = (typeof documentNames)[number];

/** A document's operations as Prism reads them. */
export type Operations = Awaited<ReturnType<typeof getHttpOperationsFromSpec>>;

export function operationsOf(document: DocumentName): Promise<Operations> {
  return getHttpOperationsFromSpec(fileURLToPath(new URL(`../../spec/openapi/${document}.yaml`, import.meta.url)));
}

const quiet = (): void => undefined;
const levels = ['info', 'warn', 'error', 'debug', 'trace', 'success', 'fatal'];
const quietly: Record<string, unknown> = Object.fromEntries(levels.map((level) => [level, quiet]));
quietly.child = () => quietly;

/** Prism tells each step of each request; what comes of it is what counts here. */
export const silent = quietly as unknown as Parameters<typeof createInstance>[1]['logger'];
