/** A registry of packages on loopback: the kit as `npm pack` makes it, and what it depends on as it is installed here. */
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { root } from './stage.ts';

const run = promisify(execFile);

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const manifestOf = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** Where a package finds one that it depends on: in the nearest `node_modules`. */
function installed(from: string, name: string): string {
  const folder = join(from, 'node_modules', name);
  try {
    manifestOf(folder);
    return folder;
  } catch {
    if (dirname(from) === from) throw new Error(`${name} is not installed`);
    return installed(dirname(from), name);
  }
}

const fileOf = (name: string): string => `${name.replaceAll(/[@/]/g, '_')}.tgz`;

async function packed(workspace: string, into: string): Promise<void> {
  const made = join(into, basename(workspace));
  mkdirSync(made);
  await run('npm', ['pack', '--silent', '--ignore-scripts', '-w', workspace, '--pack-destination', made], {
    cwd: root,
  });
  const [file = ''] = readdirSync(made);
  renameSync(join(made, file), join(into, fileOf(manifestOf(join(root, workspace)).name)));
}

async function copied(folder: string, into: string): Promise<void> {
  const file = join(into, fileOf(manifestOf(folder).name));
  const options = ['--exclude=./node_modules', '--transform=s,^\\.,package,', '-C', folder];
  await run('tar', ['czf', file, ...options, '.']);
}

/** All that the kit needs, by name. */
function closure(folder: string, all: Map<string, string> = new Map()): Map<string, string> {
  for (const name of Object.keys(manifestOf(folder).dependencies ?? {})) {
    if (all.has(name) || name.startsWith('@turnwire/')) continue;
    const found = installed(folder, name);
    all.set(name, found);
    closure(found, all);
  }
  return all;
}

/** Serves them until it is closed; `into` keeps their tarballs. */
export async function startRegistry(into: string): Promise<{ url: string; close(): void }> {
  const ours = ['spec', 'contract-tests'];
  const others = ours.reduce((all, workspace) => closure(join(root, workspace), all), new Map<string, string>());
  for (const workspace of ours) await packed(workspace, into);
  for (const folder of others.values()) await copied(folder, into);
  const manifests = [...ours.map((name) => join(root, name)), ...others.values()].map(manifestOf);
  const server = createServer(({ url = '' }, response) => {
    const name = decodeURIComponent(url.slice(1));
    const manifest = manifests.find((one) => one.name === name);
    if (name.endsWith('.tgz')) response.end(readFileSync(join(into, basename(name))));
    else if (manifest) response.end(JSON.stringify(packument(manifest, address())));
    else response.writeHead(404).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: address(), close: () => server.close() };
}

function packument(manifest: Manifest, url: string): object {
  const { name, version } = manifest;
  const dist = { tarball: `${url}/${fileOf(name)}` };
  return { name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist } } };
}
