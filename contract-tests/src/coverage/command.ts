import { Command } from 'commander';
import { exits } from '../run/flags.ts';
import type { Coverage, Row, Standing } from './coverage.ts';
import { coverage } from './load.ts';

const words: Readonly<Record<Standing, string>> = { tested: 'tested', excluded: 'excluded', not_tested: 'NOT TESTED' };

/** `turnwire-contract coverage`: what the spec asks for against what the kit checks, both ways. */
export function coverageCommand(): Command {
  return new Command('coverage')
    .description('requirements and documented answers of the spec against the checks, both ways')
    .option('--json', 'as JSON')
    .action(({ json }: { json?: boolean }) => {
      const found = coverage();
      process.stdout.write(json ? `${JSON.stringify(found, null, 2)}\n` : coverageText(found));
      process.exitCode = isWhole(found) ? exits.conformant : exits.not;
    });
}

/** Nothing is untested, and nothing is wrong with the lists. */
export const isWhole = ({ requirements, answers, problems }: Coverage): boolean =>
  problems.length === 0 && [...requirements, ...answers].every(({ standing }) => standing !== 'not_tested');

export function coverageText({ requirements, answers, problems }: Coverage): string {
  const lines = [
    ...['Requirements of spec/protocol.md', ''],
    ...requirements.map(line),
    ...['', 'Documented answers: document, operation, status', ''],
    ...answers.map(line),
    '',
    ...problems.map((problem) => `wrong: ${problem}`),
    `requirements: ${counts(requirements)}`,
    `answers: ${counts(answers)}`,
  ];
  return `${lines.join('\n')}\n`;
}

/** Checks that a line names before it says how many more there are. */
const shown = 3;

function line({ what, standing, by, reason, says }: Row): string {
  const head = `${words[standing].padEnd(10)}  ${what}`;
  if (standing === 'tested')
    return `${head}  ${by.slice(0, shown).join(', ')}${by.length > shown ? `, and ${by.length - shown} more` : ''}`;
  return `${head}  ${reason ?? says ?? ''}`.trimEnd();
}

function counts(rows: readonly Row[]): string {
  const of = (standing: Standing) => rows.filter((row) => row.standing === standing).length;
  return `${of('tested')} of ${rows.length} tested, ${of('excluded')} excluded with a reason, ${of('not_tested')} NOT TESTED`;
}
