/** Asks each process how it is, the way that the others ask it; each failure with what is proved about the probe. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import {
  type Connection,
  connect,
  harnessInfo,
  health,
  listNodes,
  listWorkflows,
  orchestratorInfo,
  protocol,
  readiness,
  surface,
  TurnwireFault,
} from '@turnwire/sdk';
import { StartError } from '@turnwire/server';
import { readSecret } from '../../secret-file.ts';
import { harnessToken, INSTANCE_TOKEN_FILE, SIGNING_KEY_FILE } from '../../tokens.ts';
import { healthText } from '../nodes.ts';
import { expected, type Place } from './expected.ts';
import type { Finding } from './finding.ts';

export interface Hops {
  readonly orchestratorUrl: string;
  readonly harness: Place;
  readonly custodian: Place;
  readonly placement: string;
  readonly stateDir: string;
  readonly instanceToken?: string;
  readonly signal: AbortSignal;
}

export interface Hopped {
  readonly findings: readonly Finding[];
  /** The addresses of those that were looked at. */
  readonly harness: string | undefined;
  readonly custodian: string | undefined;
}

export async function checkHops(hops: Hops): Promise<Hopped> {
  const [{ findings, nodes }, atHarness, atCustodian] = await Promise.all([
    checkOrchestrator(hops),
    checkHarness(hops),
    checkCustodian(hops),
  ]);
  const harness = expected('harness', hops.harness, atHarness, nodes > 0);
  const custodian = expected('custodian', hops.custodian, atCustodian, nodes > 0);
  return {
    findings: [...findings, ...harness.findings, ...custodian.findings],
    harness: harness.url,
    custodian: custodian.url,
  };
}

type Probe = (connection: Connection, call: { signal: AbortSignal; windowMs: number }) => Promise<string>;

async function probe(check: string, url: string, token: string | undefined, hops: Hops, ask: Probe): Promise<Finding> {
  const connection = connect({ baseUrl: url, ...(token !== undefined && { token }) });
  try {
    return { check, ok: true, detail: `${url} ${await ask(connection, { signal: hops.signal, windowMs: 0 })}` };
  } catch (error) {
    if (error instanceof TurnwireFault) return failed(check, url, error);
    if (error instanceof WrongRole)
      return { check, ok: false, absent: true, detail: `${url} ${error.message}`, remedy: NOT_THAT_ONE };
    throw error;
  } finally {
    await connection.close();
  }
}

function failed(check: string, url: string, fault: TurnwireFault): Finding {
  if (fault.status !== undefined) {
    return {
      check,
      ok: false,
      ...(!fault.problem && { absent: true }),
      detail: `${url} answered ${fault.status} ${fault.code}: ${fault.problem?.detail ?? fault.message}`,
      remedy: remedyFor(fault),
    };
  }
  return {
    check,
    ok: false,
    ...(fault.certainty === 'never_delivered' && { absent: true }),
    detail: `${url}: ${fault.message} (${fault.certainty.replaceAll('_', ' ')})`,
    remedy: 'start it, or set its URL',
    certainty: fault.certainty,
  };
}

/** Something of ours that is another process than the one that was meant. */
class WrongRole extends Error {}

const NOT_THAT_ONE = 'check that this is the address of that process';

/**
 * The path is the same at each, and an Orchestrator's answer is the least that any of them gives. A Harness that does not
 * know the token does not say what it is; whoever says something else is something else.
 */
async function mustBe(role: 'harness' | 'orchestrator', ...[connection, call]: Parameters<Probe>): Promise<void> {
  const said: { role: string } | undefined = await orchestratorInfo(connection, call).catch((error: unknown) => {
    if (!(error instanceof TurnwireFault) || (error.status !== 401 && error.status !== 404)) throw error;
    return error.status === 401 && role === 'harness' ? { role } : undefined;
  });
  if (said?.role === role) return;
  throw new WrongRole(said ? `answers as ${said.role}, and is not the ${role}` : `is not the ${role}`);
}

function remedyFor({ status, code }: TurnwireFault): string {
  if (code === 'custodian_unreachable')
    return 'the Custodian runs and cannot reach the Orchestrator: check its TURNWIRE_ORCHESTRATOR_URL';
  if (status === 401)
    return 'its token was derived from another key, or is another instance’s: check the state dir and the placement';
  if (status === 403) return 'the token is of another kind or placement: check which one it was given';
  if (status === 503) return 'wait for it, its log says what it does';
  return NOT_THAT_ONE;
}

async function checkOrchestrator(hops: Hops): Promise<{ findings: Finding[]; nodes: number }> {
  const { orchestratorUrl: url } = hops;
  const token = hops.instanceToken || secretText(join(hops.stateDir, INSTANCE_TOKEN_FILE));
  const findings = await Promise.all([
    probe('orchestrator serves', url, undefined, hops, async (connection, call) => {
      await health(connection, call);
      await mustBe('orchestrator', connection, call);
      const { software, version } = await orchestratorInfo(connection, call);
      return `${software.name} ${software.version}, wire ${version}`;
    }),
    probe('orchestrator is ready', url, undefined, hops, async (connection, call) => {
      await readiness(connection, call);
      await mustBe('orchestrator', connection, call);
      return 'takes work';
    }),
    probe('instance token', url, token, hops, async (connection, call) => {
      const { items } = await listWorkflows(connection, call);
      const refused = items.filter(({ status }) => status === 'refused').map(({ name }) => name);
      return `is accepted; ${items.length} workflows${refused.length > 0 ? `, refused: ${refused.join(', ')}` : ''}`;
    }),
  ]);
  // Asked with the same token: what is wrong with that has been said.
  if (!findings.at(-1)?.ok) return { findings, nodes: 0 };
  const { finding, nodes } = await checkNodes(url, token, hops);
  return { findings: [...findings, finding], nodes };
}

/** The harnesses that registered themselves, and which of them are down. */
async function checkNodes(
  url: string,
  token: string | undefined,
  hops: Hops,
): Promise<{ finding: Finding; nodes: number }> {
  let nodes = 0;
  let down: string[] = [];
  const finding = await probe('nodes', url, token, hops, async (connection, call) => {
    const { items } = await listNodes(connection, call);
    nodes = items.length;
    down = items.filter(({ health }) => health === 'inactive').map(({ nodeId }) => nodeId);
    if (items.length === 0) return 'has none registered';
    return `has ${items.map((node) => `${node.nodeId} (${healthText(node)})`).join(', ')}`;
  });
  if (down.length === 0) return { finding, nodes };
  const names = down.join(', ');
  const remedy = `start the harness of ${names}, or \`turnwire nodes ${down[0]} --remove\``;
  return { finding: { ...finding, ok: false, remedy }, nodes };
}

function checkHarness(hops: Hops): Promise<Finding[]> {
  const { placement } = hops;
  const { url } = hops.harness;
  const key = signingKeyIn(hops.stateDir);
  const token = key && harnessToken(key, placement);
  return Promise.all([
    probe('harness is ready', url, token, hops, async (connection, call) => {
      await readiness(connection, call);
      await mustBe('harness', connection, call);
      return 'takes work';
    }),
    probe('harness token', url, token, hops, async (connection, call) => {
      await mustBe('harness', connection, call);
      const { software, version, capabilities } = await harnessInfo(connection, call);
      const can = Object.entries(capabilities).flatMap(([name, has]) => (has ? [name] : []));
      const able = can.length > 0 ? can.join(', ') : 'no capabilities: what is in doubt is not sent again';
      return `of ${placement} is accepted; ${software.name} ${software.version}, wire ${version}; ${able}`;
    }),
  ]);
}

/** A surface that cannot exist: "turn over" is the Orchestrator's own word, so the whole way there and back works. */
async function checkCustodian(hops: Hops): Promise<Finding[]> {
  const finding = await probe(
    'custodian',
    hops.custodian.url,
    protocol.custodian.standIn,
    hops,
    async (connection, call) => {
      try {
        await surface(connection, { iid: `doctor-${randomUUID()}` }, call);
      } catch (error) {
        if (!(error instanceof TurnwireFault) || error.problem?.code !== 'turn_over') throw error;
      }
      return 'reaches the orchestrator with its placement token';
    },
  );
  return [finding];
}

export const signingKeyIn = (stateDir: string): Buffer | undefined => secretBytes(join(stateDir, SIGNING_KEY_FILE));

const secretText = (file: string): string | undefined => secretBytes(file)?.toString('latin1');

/** What `checkMachine` has already said is not said again here. */
function secretBytes(file: string): Buffer | undefined {
  try {
    return readSecret(file);
  } catch (error) {
    if (error instanceof StartError) return undefined;
    throw error;
  }
}
