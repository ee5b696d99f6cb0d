import { answerGate } from '@turnwire/sdk';
import type { Command } from 'commander';
import { COMMAND_WINDOW_MS } from '../limits.ts';
import { name, urlId } from './arguments.ts';
import { readJsonArgument } from './input.ts';
import { type Io, print, printJson } from './io.ts';
import { type TargetFlags, targetOptions, withTarget } from './target.ts';

/** `turnwire send RUN GATE EVENT [JSON]`: answers a gate. */
export function sendCommand(program: Command, io: Io): void {
  targetOptions(program.command('send').description('answer a gate'))
    .argument('<RUN>', 'the runId', urlId)
    .argument('<GATE>', "the gate's name, or the gateId of one visit", name)
    .argument('<EVENT>', 'one of the events that the gate accepts', name)
    .argument('[JSON]', 'its input, or @FILE', '{}')
    .action((runId: string, gate: string, event: string, json: string, flags: TargetFlags) =>
      withTarget(flags, io, async (connection) => {
        const input = await readJsonArgument(json, `the input ${json}`, io);
        const call = { signal: io.signal, windowMs: COMMAND_WINDOW_MS };
        const { moved } = await answerGate(connection, { runId, gate, event, input }, call);
        if (flags.json) return printJson(io, { ok: true, moved });
        print(io, moved ? `${event} was taken` : `${event} was received, and no transition took it`);
      }),
    );
}
