import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type DocumentName, documentNames } from '../contract-tests/prism/documents.ts';

/** `npm run docs [-- FOLDER]`: the three documents as pages that a browser opens, and a page that leads to them. */
const root = fileURLToPath(new URL('..', import.meta.url));
const folder = process.argv[2] ?? join(root, 'docs');

const titles: Record<DocumentName, string> = {
  harness: 'Harness API: what an Orchestrator calls',
  orchestrator: 'Orchestrator API: what agents, people and nodes call',
  custodian: 'Custodian: what a Harness calls in place of the Orchestrator',
};

function main(): void {
  mkdirSync(folder, { recursive: true });
  for (const name of documentNames) {
    const page = join(folder, `${name}.html`);
    const args = ['build-docs', `spec/openapi/${name}.yaml`, '--output', page, '--title', titles[name]];
    const { status, stderr } = spawnSync('npx', ['redocly', ...args], { cwd: root, encoding: 'utf8' });
    if (status !== 0) {
      process.stderr.write(`docs: ${name}.yaml could not be made a page:\n${stderr}`);
      process.exitCode = 1;
      return;
    }
    process.stdout.write(`${page}\n`);
  }
  const links = documentNames.map((name) => `<li><a href="${name}.html">${titles[name]}</a></li>`).join('\n');
  const index = `<!doctype html>\n<meta charset="utf-8">\n<title>Turnwire: API reference</title>\n<h1>Turnwire: API reference</h1>\n<ul>\n${links}\n</ul>\n`;
  writeFileSync(join(folder, 'index.html'), index);
  process.stdout.write(`${join(folder, 'index.html')}\n`);
}

main();
