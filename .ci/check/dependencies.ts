import { posix } from 'node:path';
import type { Check } from './check.ts';
import { isBench, isCode, isGenerated, isTest, projectFiles, read } from './files.ts';

/** spec → sdk → services; the kit sees the spec and the wire only. A package may always name itself. */
const packages: Record<string, { name: string; sees: readonly string[] }> = {
  spec: { name: '@turnwire/spec', sees: [] },
  'sdk/typescript': { name: '@turnwire/sdk', sees: ['@turnwire/spec'] },
  'sdk/typescript-server': { name: '@turnwire/server', sees: ['@turnwire/spec', '@turnwire/sdk'] },
  harness: { name: '@turnwire/harness', sees: ['@turnwire/spec', '@turnwire/sdk', '@turnwire/server'] },
  orchestrator: { name: '@turnwire/orchestrator', sees: ['@turnwire/spec', '@turnwire/sdk', '@turnwire/server'] },
  custodian: { name: '@turnwire/custodian', sees: ['@turnwire/spec', '@turnwire/sdk', '@turnwire/server'] },
  'contract-tests': { name: '@turnwire/contract-tests', sees: ['@turnwire/spec'] },
};

/** Modules that must run in a browser or a worker: no Node builtin and no HTTP client, not even through what they import. */
const pure = ['certainty', 'retry', 'outcomes'].map((name) => `sdk/typescript/src/${name}.ts`);

const imports = /(?:^|\n)\s*(?:import|export)\b[^'";]*?\bfrom\s*['"]([^'"]+)['"]|\bimport\s*\(?\s*['"]([^'"]+)['"]/g;

export function importsOf(source: string): string[] {
  return [...source.matchAll(imports)].map((match) => match[1] ?? match[2] ?? '');
}

const folderOf = (path: string): string | undefined =>
  Object.keys(packages).find((folder) => path === folder || path.startsWith(`${folder}/`));

function target(path: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return folderOf(posix.normalize(posix.join(posix.dirname(path), specifier)));
  return Object.keys(packages).find((folder) => {
    const { name } = packages[folder] ?? { name: '' };
    return specifier === name || specifier.startsWith(`${name}/`);
  });
}

function directionProblems(path: string, source: string): string[] {
  const folder = folderOf(path);
  if (folder === undefined) return [];
  return importsOf(source).flatMap((specifier) => {
    const other = target(path, specifier);
    if (other === undefined || other === folder) return [];
    // A test or a benchmark may use what the kit has for it: it exists once.
    if ((isTest(path) || isBench(path)) && other === 'contract-tests') return [];
    const name = packages[other]?.name ?? other;
    if (!packages[folder]?.sees.includes(name)) return [`${path}: ${folder} must not import ${name}`];
    return specifier.startsWith('.') ? [`${path}: import ${name} by its name, not as ${specifier}`] : [];
  });
}

function purityProblems(root: string, files: ReadonlySet<string>): string[] {
  const problems: string[] = [];
  const visit = (path: string, from: string, seen: Set<string>): void => {
    if (seen.has(path) || !files.has(path)) return;
    seen.add(path);
    for (const specifier of importsOf(read(root, path))) {
      if (specifier.startsWith('.')) visit(posix.normalize(posix.join(posix.dirname(path), specifier)), from, seen);
      else problems.push(`${path}: imports ${specifier}, but ${from} must run without Node`);
    }
  };
  for (const path of pure) visit(path, path, new Set());
  return problems;
}

export const dependencies: Check = {
  name: 'dependencies',
  run(root) {
    const files = projectFiles(root).filter(isCode);
    const problems = files
      .filter((path) => !isGenerated(path))
      .flatMap((path) => directionProblems(path, read(root, path)));
    return { problems: [...problems, ...purityProblems(root, new Set(files))] };
  },
};
