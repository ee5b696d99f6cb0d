import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { conforms } from '../report/check.ts';
import { freePort } from '../run/free-port.ts';
import { Running } from '../run/process.ts';
import { nodeEngine, usual } from './engines.fixture.ts';
import { runCustodian } from './run.ts';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'turnwire-command-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('turnwire-contract custodian', () => {
  it('exits 3 for one that cannot be started, and says why', () => {
    const flags = ['--conditions=turnwire-source', '--import', 'tsx', main, 'custodian'];
    const { status, stderr } = spawnSync('node', [...flags, '--command', 'echo Error: why >&2; exit 7']);
    const words = expect.stringContaining('the subject ended before it listened: Error: why');
    expect({ status, stderr: String(stderr) }).toEqual({ status: 3, stderr: words });
  }, 60_000);

  it('holds one that is running already to what needs no process of its own', async () => {
    const token = `elsewhere.${'t'.repeat(43)}`;
    const file = join(folder, 'placement.token');
    writeFileSync(file, token, { mode: 0o600 });
    const orchestratorPort = await freePort();
    const running = new Running(await nodeEngine(), 30_000);
    const upstream = `http://127.0.0.1:${orchestratorPort}`;
    await running.start({
      TURNWIRE_PORT: '0',
      TURNWIRE_ORCHESTRATOR_URL: upstream,
      TURNWIRE_PLACEMENT_TOKEN_FILE: file,
    });
    try {
      const only = ['forward.*', 'token.others'];
      const report = await runCustodian({ ...usual, only, at: { url: running.url, token, orchestratorPort } });
      const others = report.checks.flatMap(({ id, verdict }) => (verdict === 'passed' ? [] : [[id, verdict]]));
      expect(others).toEqual([['token.others', 'not_tested']]);
      expect(conforms(report)).toBe(false);
    } finally {
      await running.kill();
    }
  }, 60_000);
});
