import { Command } from 'commander';
import { catalogs } from '../catalog.ts';

/** `turnwire-contract list`: every check of every mode. */
export function listCommand(): Command {
  return new Command('list')
    .description('every check: mode, id, requirements, level, what it needs')
    .option('--json', 'as JSON')
    .action(({ json }: { json?: boolean }) => {
      const checks = catalogs.flatMap(({ mode, checks: all }) =>
        all().map(({ id, theme, requirements, level, needs, says }) => ({
          ...{ mode, id, theme, requirements, level, needs, says },
        })),
      );
      if (json) process.stdout.write(`${JSON.stringify(checks, null, 2)}\n`);
      else process.stdout.write(checks.map(line).join(''));
    });
}

function line({
  mode,
  id,
  requirements,
  level,
  needs,
}: Record<'mode' | 'id' | 'level', string> & {
  readonly requirements: readonly string[];
  readonly needs: readonly string[];
}): string {
  const wants = needs.length === 0 ? '' : `  needs ${needs.join(', ')}`;
  return `${mode.padEnd(12)}  ${id}  ${level}  ${requirements.join(' ')}${wants}\n`;
}
