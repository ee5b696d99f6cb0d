import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
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

const redocly = dirname(createRequire(import.meta.url).resolve('@redocly/cli/package.json'));

/** The script that redocly's pages fetch, as it comes with it. */
const script = readFileSync(join(redocly, 'lib/chunks/redoc.standalone.js'));

/** A page that needs no net: its script stands in it, and it tells nobody that it is read. @throws Error when it is another script */
function selfContained(page: string): string {
  const digest = `sha384-${createHash('sha384').update(script).digest('base64')}`;
  const [link = '', url = ''] = /<link rel="modulepreload" href="([^"]+)"[^>]*>/.exec(page) ?? [];
  if (!link.includes(digest)) throw new Error(`its script is not the one that comes with redocly: ${link}`);
  const own = `data:text/javascript;base64,${script.toString('base64')}`;
  return page.replace(link, '').replace(url, own).replace('"disableTelemetry":false', '"disableTelemetry":true');
}

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
    writeFileSync(page, selfContained(readFileSync(page, 'utf8')));
    process.stdout.write(`${page}\n`);
  }
  const links = documentNames.map((name) => `<li><a href="${name}.html">${titles[name]}</a></li>`).join('\n');
  const index = `<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>Turnwire: API reference</title>\n<h1>Turnwire: API reference</h1>\n<ul>\n${links}\n</ul>\n`;
  writeFileSync(join(folder, 'index.html'), index);
  process.stdout.write(`${join(folder, 'index.html')}\n`);
}

main();
