/** Scripts in place of the four commands of `turnwire dev`, for tests. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const NAMES = ['turnwire-orchestrator', 'turnwire-custodian', 'turnwire-harness', 'turnwire-contract'];

/**
 * `<name>.mjs` in `dir` for each: says where it listens, writes what it was given to `<name>.json`, and its name to the
 * file `order` when it is drained. SIGUSR1 makes it log a line, SIGUSR2 makes it end by itself with 7.
 */
export function writeFakeRoles(dir: string): void {
  for (const name of NAMES) writeFileSync(join(dir, `${name}.mjs`), role(name, dir));
}

const role = (name: string, dir: string): string => `
import { appendFileSync, writeFileSync } from 'node:fs';
const given = Object.fromEntries(Object.entries(process.env).filter(([key]) => /^(TURNWIRE_|OPENAI|ANTHROPIC)/.test(key)));
writeFileSync(${JSON.stringify(join(dir, `${name}.json`))}, JSON.stringify({ pid: process.pid, argv: process.argv.slice(2), given }));
process.on('SIGTERM', () => { appendFileSync(${JSON.stringify(join(dir, 'order'))}, ${JSON.stringify(`${name}\n`)}); process.exit(0); });
process.on('SIGUSR1', () => void process.stderr.write('poked\\n'));
process.on('SIGUSR2', () => process.exit(7));
setInterval(() => {}, 1000);
process.stdout.write(JSON.stringify({ event: 'listening', role: ${JSON.stringify(name)}, url: ${JSON.stringify(`http://${name}.test`)} }) + '\\n');
process.stderr.write(JSON.stringify({ level: 30, pid: process.pid, msg: 'up' }) + '\\n');
`;
