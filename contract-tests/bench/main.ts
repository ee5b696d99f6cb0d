/** `npm run bench -- NAME…`: each benchmark is a program of its own beside what it measures; without a name, all of them. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const benches: Readonly<Record<string, string>> = {
  sdk: 'sdk/typescript/bench/main.ts',
  harness: 'harness/bench/main.ts',
  orchestrator: 'orchestrator/bench/main.ts',
  custodian: 'custodian/bench/main.ts',
};

const root = fileURLToPath(new URL('../..', import.meta.url));

function run(path: string): Promise<boolean> {
  const args = ['--conditions=turnwire-source', '--import', 'tsx', path];
  const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });
  return new Promise((resolve) => child.once('exit', (code) => resolve(code === 0)));
}

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(benches, name));
if (unknown.length > 0) {
  process.stderr.write(`bench: ${unknown.join(', ')} is none of ${Object.keys(benches).join(', ')}\n`);
  process.exitCode = 2;
} else {
  for (const name of wanted.length > 0 ? wanted : Object.keys(benches)) {
    process.stdout.write(`== ${name}\n`);
    if (!(await run(benches[name] ?? ''))) process.exitCode = 1;
  }
}
