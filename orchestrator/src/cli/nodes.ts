import { type CallOptions, type Connection, listNodes, type NodeView, readNode, removeNode } from '@turnwire/sdk';
import type { Command } from 'commander';
import { COMMAND_WINDOW_MS } from '../limits.ts';
import { urlId } from './arguments.ts';
import { CliError } from './exit.ts';
import { followUp } from './follow-up.ts';
import { type Io, print, printJson } from './io.ts';
import { tableLines } from './table.ts';
import { type TargetFlags, targetOptions, withTarget } from './target.ts';

interface NodesFlags extends TargetFlags {
  remove?: boolean;
}

/** `turnwire nodes [NODE]`: the harnesses that registered themselves, or one of them. */
export function nodesCommand(program: Command, io: Io): void {
  targetOptions(
    program
      .command('nodes')
      .description('list the harnesses that registered themselves, or show one')
      .argument('[NODE]', 'its name', urlId),
  )
    .option('--remove', 'forget that node; one that lives registers again with its next heartbeat')
    .action((nodeId: string | undefined, flags: NodesFlags, command: Command) =>
      withTarget(flags, io, async (connection) => {
        const call = { signal: io.signal, windowMs: COMMAND_WINDOW_MS };
        if (flags.remove) return remove(connection, nodeId, flags, io, call);
        if (nodeId !== undefined) return show(await readNode(connection, { nodeId }, call), flags, io);
        const page = await listNodes(connection, call);
        if (flags.json) return printJson(io, page);
        if (page.items.length === 0) return print(io, 'no node has registered');
        for (const line of tableLines(page.items.map(row))) print(io, line);
        print(io, `more of one: ${followUp(io, command)('nodes', page.items[0]?.nodeId ?? '')}`);
      }),
    );
}

async function remove(
  connection: Connection,
  nodeId: string | undefined,
  flags: NodesFlags,
  io: Io,
  call: CallOptions,
): Promise<void> {
  if (nodeId === undefined) throw new CliError('--remove needs the name of a node');
  await removeNode(connection, { nodeId }, call);
  if (flags.json) return printJson(io, { ok: true });
  print(io, `removed ${nodeId}`);
}

/** How a node does, in words: `inactive since …`, `healthy, draining`. */
export function healthText({ health, lifecycle, inactiveSince, deployment }: NodeView): string {
  if (deployment === 'serverless') return 'serverless';
  if (health === 'inactive') return `inactive since ${inactiveSince ?? 'a while'}`;
  return lifecycle === 'ready' ? health : `${health}, ${lifecycle}`;
}

function row(node: NodeView): string[] {
  const agents = node.agents.map(({ name }) => name).join(', ');
  return [node.nodeId, healthText(node), node.baseUrl, agents || 'no agents'];
}

function show(node: NodeView, { json }: NodesFlags, io: Io): void {
  if (json) printJson(io, node);
  else for (const line of nodeLines(node)) print(io, line);
}

function nodeLines(node: NodeView): string[] {
  const can = Object.entries(node.capabilities).flatMap(([name, has]) => (has ? [name] : []));
  const lines: [string, string | undefined][] = [
    ['node', node.nodeId],
    ['health', healthText(node)],
    ['lifecycle', node.lifecycle],
    ['heartbeat', node.deployment === 'serverless' ? undefined : (node.lastHeartbeatAt ?? 'none yet')],
    ['address', node.baseUrl],
    ['instance', `${node.instanceId}, since ${node.registeredAt}`],
    ['version', node.version],
    ['store', node.store],
    ['can', can.join(', ') || 'nothing that is optional'],
    ...agentLines(node),
  ];
  return lines.flatMap(([title, text]) => (text === undefined ? [] : [`${title.padEnd(9)}  ${text}`]));
}

function agentLines({ agents }: NodeView): [string, string][] {
  if (agents.length === 0) return [['agents', 'none']];
  return agents.map(({ name, description }, index) => [
    index === 0 ? 'agents' : '',
    description === undefined ? name : `${name}: ${description}`,
  ]);
}
