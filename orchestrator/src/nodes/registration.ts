/** What of a registration the schema of the wire cannot say (TW-NOD-004, TW-NOD-005). */
import { isIPv6 } from 'node:net';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { COMPILE_SLICE_MS } from '../limits.ts';
import type { NodeAgent, NodeRegistration } from './port.ts';

export interface RegistrationProblem {
  path: string;
  message: string;
}

/** What a registration says, without what this version does not know (TW-GEN-012). */
export function registrationOf(body: NodeRegistration): NodeRegistration {
  const { baseUrl, instanceId, agents, deployment, version, store, capabilities } = body;
  const { idempotentAdmissions, fencedAbort, submissionStreams } = capabilities;
  return {
    baseUrl: baseUrl.replace(/\/+$/, ''),
    instanceId,
    agents: agents.map(({ name, description, output }) => ({
      name,
      ...(description === undefined ? {} : { description }),
      ...(output === undefined ? {} : { output }),
    })),
    deployment,
    ...(version === undefined ? {} : { version }),
    ...(store === undefined ? {} : { store }),
    capabilities: { idempotentAdmissions, fencedAbort, submissionStreams },
  };
}

export async function registrationProblems({ baseUrl, agents }: NodeRegistration): Promise<RegistrationProblem[]> {
  const wrongUrl = urlProblem(baseUrl);
  const ofUrl = wrongUrl === undefined ? [] : [{ path: '/baseUrl', message: wrongUrl }];
  return [...ofUrl, ...repeatedNames(agents), ...(await wrongOutputs(agents))];
}

/**
 * Whoever runs code beside a Harness can register it: the address is one that the Orchestrator will send requests to, so it
 * is none that only the Orchestrator's machine should reach. Loopback and private addresses are where nodes are.
 */
function urlProblem(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) return 'must be an absolute http or https URL';
  if (url.username !== '' || url.password !== '') return 'must not carry credentials';
  if (/[?#]/.test(text)) return 'must not carry a query or a fragment';
  if (isNowhere(url.hostname)) return 'must not be an unspecified or link-local address';
  return undefined;
}

/** A parsed URL has its IPv4 addresses dotted and its IPv6 addresses compressed, however they were written. */
function isNowhere(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (!isIPv6(host)) return isNowhereV4(host);
  const [, high, low] = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(host) ?? [];
  if (high !== undefined && low !== undefined) return isNowhereV4(dotted(high, low));
  return host === '::' || /^fe[89ab][0-9a-f]:/.test(host);
}

const isNowhereV4 = (host: string): boolean => /^0\.|^169\.254\./.test(host);

function dotted(...words: string[]): string {
  return words
    .map((word) => Number.parseInt(word, 16))
    .flatMap((word) => [word >> 8, word & 0xff])
    .join('.');
}

function repeatedNames(agents: readonly NodeAgent[]): RegistrationProblem[] {
  const seen = new Set<string>();
  return agents.flatMap(({ name }, index) => {
    if (seen.has(name)) return [{ path: `/agents/${index}/name`, message: `names ${name} again` }];
    seen.add(name);
    return [];
  });
}

/** The result of each call is held against it: one that cannot be used is refused while somebody is there to mend it. */
async function wrongOutputs(agents: readonly NodeAgent[]): Promise<RegistrationProblem[]> {
  // Not added: a schema's `$id` is its own business.
  const ajv = new Ajv2020({ strict: false, logger: false, addUsedSchema: false });
  formats.default(ajv);
  const problems: RegistrationProblem[] = [];
  let since = performance.now();
  for (const [index, { output }] of agents.entries()) {
    const message = output === undefined ? undefined : schemaProblem(ajv, output);
    if (message !== undefined) problems.push({ path: `/agents/${index}/output`, message });
    if (performance.now() - since < COMPILE_SLICE_MS) continue;
    // A thousand schemas are compiled between everybody else's requests, and not before them.
    await new Promise((resolve) => setImmediate(resolve));
    since = performance.now();
  }
  return problems;
}

function schemaProblem(ajv: Ajv2020, schema: NonNullable<NodeAgent['output']>): string | undefined {
  try {
    ajv.compile(schema);
    return undefined;
  } catch (error) {
    return `is no JSON Schema that can be used: ${error instanceof Error ? error.message : String(error)}`;
  }
}
