import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from './stage.ts';

const readme = readFileSync(join(root, 'README.md'), 'utf8');
const blocks = (language: string) =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, text]) => text as string);
const commands = blocks('sh').flatMap((block) => block.trim().split('\n'));

it('carries the two commands, as they stand', () => {
  expect(commands).toContain('npm ci && npm run demo');
  expect(commands).toContain('npm ci && npm test');
});

it('its workflow passes the walk', { timeout: 30_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'turnwire-readme-'));
  const { writeFileSync } = await import('node:fs');
  writeFileSync(join(folder, 'readme.ts'), blocks('ts')[0] as string);
  const { stdout } = await promisify(execFile)('npx', ['turnwire', 'check', '--workflows', folder, '--json'], {
    cwd: root,
  });
  rmSync(folder, { recursive: true });
  expect(stdout).toContain('readme');
});

describe('the commands under "Run it"', () => {
  const state = mkdtempSync(join(tmpdir(), 'turnwire-readme-'));
  const env = { ...process.env, TURNWIRE_STATE_DIR: state, TURNWIRE_PORT: '0' };
  const dev = commands.find((command) => command === 'npx turnwire dev');
  let child: ReturnType<typeof spawn>;

  beforeAll(async () => {
    expect(dev).toBeDefined();
    // A group of its own, as a terminal gives it one: Ctrl-C reaches npx and what it started.
    child = spawn('bash', ['-c', dev as string], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    await ready(child);
  }, 60_000);
  afterAll(async () => {
    process.kill(-(child.pid as number), 'SIGINT');
    await once(child, 'exit');
    rmSync(state, { recursive: true, force: true });
  }, 30_000);

  // Those of "Ask an agent" need a second Harness and a model: the demo of restarts does that with real processes.
  const others = commands.filter((command) => /^npx turnwire runs?\b/.test(command));
  it.each(others)('%s', { timeout: 30_000 }, async (command) => {
    const { stdout } = await promisify(execFile)('bash', ['-c', command], { cwd: root, env });
    expect(stdout).toMatch(/run_/);
  });
});

/** Everything is up once the workflow can be started: the state folder then names the Orchestrator. */
async function ready(child: ReturnType<typeof spawn>): Promise<void> {
  let text = '';
  for (;;) {
    const [chunk] = await Promise.race([
      once(child.stdout as NodeJS.ReadableStream, 'data'),
      once(child, 'exit').then(() => [undefined]),
    ]);
    if (chunk === undefined) throw new Error(`turnwire dev ended: ${text}`);
    text += String(chunk);
    if (/ready/i.test(text)) return;
  }
}
