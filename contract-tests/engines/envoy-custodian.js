/**
 * An Envoy as a Custodian, with the environment of the wire: writes the bootstrap by `turnwire-custodian envoy`, starts Envoy
 * on it, says when it listens, and passes a SIGTERM on. What the kit, the demo and a laptop start.
 *
 *   node envoy-custodian.js [--custodian COMMAND] [--envoy PROGRAM]
 *
 * COMMAND prints a bootstrap when `envoy` and its flags are put behind it; `turnwire-custodian` when absent.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { custodian: { type: 'string' }, envoy: { type: 'string' } } });
const { custodian = 'turnwire-custodian', envoy = 'envoy' } = values;
const env = process.env;
const host = env.TURNWIRE_HOST ?? '127.0.0.1';

/** @param {string} why */
function refuse(why) {
  process.stderr.write(`${why}\n`);
  process.exit(1);
}

/** What stands before the token's dot is the placement; Envoy's configuration has to name it. */
function placement() {
  try {
    return (
      readFileSync(env.TURNWIRE_PLACEMENT_TOKEN_FILE ?? '', 'utf8')
        .split('.', 1)[0]
        ?.trim() || 'none'
    );
  } catch {
    return 'none';
  }
}

/**
 * Envoy does not say which port it was given, so it is looked before whether it is free; 0 finds one that is.
 * @param {string} wanted
 */
function freePort(wanted) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => refuse(`port ${wanted} cannot be listened at: ${error.message}`));
    server.listen(Number(wanted), host, () => {
      const address = server.address();
      server.close(() => resolve(String(typeof address === 'object' ? address?.port : 0)));
    });
  });
}

/** @param {string} port */
function bootstrap(port) {
  const flags = [env.TURNWIRE_PLACEMENT ?? placement(), port].map((value) => JSON.stringify(value));
  const command = `${custodian} envoy --placement ${flags[0]} --port ${flags[1]}`;
  const { status, stdout, stderr } = spawnSync(command, { shell: true, encoding: 'utf8', env });
  if (status !== 0) refuse(stderr.trim() || `${command} ended with ${status}`);
  return stdout;
}

/** @param {number} port */
function connects(port) {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

const port = await freePort(env.TURNWIRE_PORT ?? '0');
const folder = mkdtempSync(join(tmpdir(), 'turnwire-envoy-'));
const file = join(folder, 'bootstrap.json');
writeFileSync(file, bootstrap(port));
// One of many on this machine, and its log at once.
const args = ['-c', file, '--disable-hot-restart', '--concurrency', '1', '--file-flush-interval-msec', '50'];
const child = spawn(envoy, [...args, '--log-level', 'error'], { stdio: ['ignore', 'ignore', 'inherit'] });
let over = false;
child.once('error', (error) => refuse(`${envoy} cannot be started: ${error.message}`));
child.once('exit', (code, signal) => {
  over = true;
  rmSync(folder, { recursive: true, force: true });
  process.exit(code ?? (signal === 'SIGTERM' ? 0 : 1));
});
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => child.kill(signal));

while (!over && !(await connects(Number(port)))) await new Promise((resolve) => setTimeout(resolve, 20));
const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
process.stdout.write(`${JSON.stringify({ event: 'listening', role: 'custodian', url, pid: process.pid })}\n`);
