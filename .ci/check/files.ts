import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

const caches = ['__pycache__', '.mypy_cache', '.pytest_cache', '.ruff_cache', 'build'];
const foreign = new Set(['node_modules', 'dist', 'coverage', '.git', '.turnwire', '.venv', ...caches]);

/** Every file of the project below `root`, as sorted paths with `/`; what is installed or built is left out. */
export function projectFiles(root: string): string[] {
  const found: string[] = [];
  const visit = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (foreign.has(entry.name)) continue;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) visit(path);
      else if (entry.isFile()) found.push(relative(root, path).split(sep).join('/'));
    }
  };
  visit(root);
  return found.sort();
}

export const read = (root: string, path: string): string => readFileSync(join(root, path), 'utf8');
export const isGenerated = (path: string): boolean => /(^|\/)gen\//.test(path);
export const isCode = (path: string): boolean => /\.(ts|mts|js|mjs)$/.test(path);
export const isBench = (path: string): boolean => /(^|\/)bench\//.test(path);
export const isTest = (path: string): boolean => /\.test(-d)?\.ts$/.test(path) || /(^|\/)e2e\//.test(path);
