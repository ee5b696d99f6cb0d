import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

it('`npm run docs` makes a page of each document, with its operations', { timeout: 90_000 }, async () => {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const folder = mkdtempSync(join(tmpdir(), 'turnwire-docs-'));
  await promisify(execFile)('npm', ['run', '--silent', 'docs', '--', folder], { cwd: root });
  const pages = readdirSync(folder).sort();
  const text = Object.fromEntries(pages.map((page) => [page, readFileSync(join(folder, page), 'utf8')]));
  rmSync(folder, { recursive: true });
  expect(pages).toEqual(['custodian.html', 'harness.html', 'index.html', 'orchestrator.html']);
  expect(text['harness.html']).toContain('readConversation');
  expect(text['orchestrator.html']).toContain('startRun');
  expect(text['custodian.html']).toContain('readDelivery');
  for (const [page, html] of Object.entries(text)) {
    // Without what a person may click on: nothing is fetched when a page is opened, and nobody is told of it.
    const fetched = html
      .replaceAll(/<a [^>]*>|"data:[^"]*"/g, '')
      .match(/<(link|script|img|iframe)[^>]*(href|src)=|@import|url\(http|from "http/g);
    expect(fetched, page).toBeNull();
    if (page !== 'index.html') expect(html).toContain('"disableTelemetry":true');
  }
});
