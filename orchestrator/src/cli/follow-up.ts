/** Commands to paste: called as this one was, for the orchestrator that this one was given. */
import type { Command } from 'commander';
import type { Io } from './io.ts';
import { quoted } from './words.ts';

/** The command of these words, each quoted where a shell needs it. */
export type FollowUp = (...words: readonly string[]) => string;

/** @param keep further options that are repeated when they were typed. A token is never one of them. */
export function followUp(io: Io, command: Command, keep: readonly string[] = []): FollowUp {
  const typed = typedOptions(command, ['url', 'stateDir', ...keep]);
  return (...words) => [io.program, ...[...words, ...typed].map(quoted)].join(' ');
}

/** What came from the environment is still there when the command is pasted. */
function typedOptions(command: Command, names: readonly string[]): string[] {
  return command.options.flatMap((option) => {
    const name = option.attributeName();
    if (!names.includes(name) || command.getOptionValueSource(name) !== 'cli') return [];
    const value: unknown = command.getOptionValue(name);
    return [option.long ?? '', ...(value === true ? [] : [String(value)])];
  });
}
