import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Check } from './check.ts';
import { projectFiles, read } from './files.ts';

const link = /\]\(([^)\s]+)\)/g;
const code = /`([\w.@-]+(?:\/[\w.@-]+)*\/?)`/g;

/** Paths that a document names: its relative links, and code that begins with a folder of the project. */
function pathsIn(markdown: string, isFolder: (name: string) => boolean): { path: string; relative: boolean }[] {
  const prose = markdown.replaceAll(/^```[\s\S]*?^```/gm, '');
  const links = [...prose.replaceAll(/`[^`\n]*`/g, 'code').matchAll(link)].map(([, target = '']) =>
    target.replace(/[#?].*$/, ''),
  );
  const quoted = [...prose.matchAll(code)].map(([, target = '']) => target);
  return [
    ...links.filter((path) => path !== '' && !/^[a-z]+:/.test(path)).map((path) => ({ path, relative: true })),
    ...quoted
      .filter((path) => path.includes('/') && isFolder(path.split('/')[0] ?? ''))
      .map((path) => ({ path, relative: false })),
  ];
}

/** Every relative path that a document names exists. Decisions are left as they were when they were taken. */
export const docs: Check = {
  name: 'docs',
  run(root) {
    const folders = new Set(
      projectFiles(root)
        .filter((path) => path.includes('/'))
        .map((path) => path.split('/')[0] ?? ''),
    );
    const documents = projectFiles(root).filter((path) => path.endsWith('.md') && !path.startsWith('spec/decisions/'));
    const problems = documents.flatMap((document) =>
      pathsIn(read(root, document), (name) => folders.has(name))
        .filter(({ path, relative }) => {
          const beside = join(root, dirname(document), path);
          return !existsSync(beside) && (relative || !existsSync(join(root, path)));
        })
        .map(({ path }) => `${document}: \`${path}\` does not exist: name what does`),
    );
    return { problems };
  },
};
