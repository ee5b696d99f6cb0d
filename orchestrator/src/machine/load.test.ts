import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadWorkflows } from './load.ts';
import type { Refused } from './port.ts';

const GOOD = `
import { defineAgent, defineEvent, setup } from '@turnwire/orchestrator';
import { assign } from 'xstate';
import { z } from 'zod';
import { greeting } from './lib/greeting.ts';
const finish = defineEvent({ name: 'finish', input: z.object({}) });
export const machine = setup({
  events: [finish],
  agents: { coder: defineAgent({ model: 'openai-compatible/any', instructions: greeting }) },
}).createMachine({
  initial: 'working',
  states: {
    working: { invoke: { src: 'coder', input: { prompt: 'x' } }, on: { finish: 'done', 'agent.fault.*': 'done' }, exit: assign({}) },
    done: { type: 'final' },
  },
});
`;

/** The example that authors read is one of the files: it has to be served as it stands. */
const GUIDE =
  readFileSync(new URL('../../AUTHORING.md', import.meta.url), 'utf8')
    .split('```ts\n')[1]
    ?.split('```')[0] ?? '';

const FILES: Record<string, string> = {
  'guide.ts': GUIDE,
  'good.ts': GOOD,
  'plain.js': GOOD,
  'module.mjs': GOOD.replace("from './lib/greeting.ts'", "from './lib/plain.mjs'"),
  'walked.ts': GOOD.replace("'agent.fault.*': 'done'", ''),
  'throws.ts': "throw new Error('boom\\nat the second line');",
  'syntax.ts': 'export const machine = (',
  'missing.ts': "import 'no-such-package';",
  'none.mjs': 'export const other = 1;',
  'xstate.ts': "import { createMachine } from 'xstate';\nexport const machine = createMachine({});",
  'twice.ts': 'export const machine = 1;',
  'twice.js': 'export const machine = 1;',
  'has space.js': 'export const machine = 1;',
  'helper.test.ts': "throw new Error('never loaded');",
  'types.d.ts': "throw new Error('never loaded');",
  'README.md': 'not a module',
  'lib/greeting.ts': "export const greeting: string = 'hello';",
  'lib/plain.mjs': "export const greeting = 'hello';",
};

let folder: string;
let said: { workflows: string[]; refused: [string, Refused['findings']][] };

/** In a process of its own, as a service loads them: from a folder with no package.json and nothing installed. */
const SCRIPT = `
import { loadWorkflows } from ${JSON.stringify(fileURLToPath(new URL('load.ts', import.meta.url)))};
const { workflows, refused } = await loadWorkflows(process.argv[1]);
console.log(JSON.stringify({ workflows: [...workflows.keys()], refused: [...refused.values()].map(({ name, findings }) => [name, findings]) }));
`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'turnwire-workflows-'));
  await mkdir(join(folder, 'lib'));
  await Promise.all(Object.entries(FILES).map(([name, text]) => writeFile(join(folder, name), text)));
  const node = [
    '--conditions=turnwire-source',
    '--import',
    import.meta.resolve('tsx'),
    '--input-type=module',
    '--eval',
    SCRIPT,
    folder,
  ];
  const { stdout } = await promisify(execFile)(process.execPath, node, {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
  });
  said = JSON.parse(stdout) as typeof said;
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('a folder of workflow modules, TW-AUT-012, TW-AUT-013', () => {
  it('is served under the file names, with this package, XState and zod at hand', () => {
    expect(said.workflows).toEqual(['good', 'guide', 'module', 'plain']);
  });

  it.each([
    ['throws', 'module_threw', 'boom at the second line'],
    ['syntax', 'module_threw', 'syntax.ts'],
    ['missing', 'module_threw', 'no-such-package'],
    ['none', 'no_machine', 'exports no `machine`'],
    ['xstate', 'not_set_up', 'setup'],
    ['twice', 'workflow_name_twice', 'twice.js, twice.ts'],
    ['has space', 'workflow_name', 'Name the file'],
    ['walked', 'agent_fault_unhandled', "state 'working'"],
  ])('refuses %s alone, by one clear line', (name, code, text) => {
    const findings = said.refused.find(([refused]) => refused === name)?.[1];
    expect(findings).toMatchObject([{ code }]);
    expect(findings?.[0]?.message).toContain(text);
    expect(findings?.[0]?.message).toMatch(new RegExp(`^workflow '${name}'`));
    expect(findings?.[0]?.message).not.toMatch(/\n|\(file:|:\d+:\d+\)/);
  });

  it('looks at nothing else', () => {
    expect(said.refused).toHaveLength(8);
  });
});

describe('loading in this process', () => {
  it('fails for a folder that does not exist, and is empty for an empty one', async () => {
    await expect(loadWorkflows(join(folder, 'nowhere'))).rejects.toThrow('ENOENT');
    await mkdir(join(folder, 'empty'));
    expect((await loadWorkflows(join(folder, 'empty'))).workflows.size).toBe(0);
  });

  it('loads the examples, and each module once', async () => {
    const examples = fileURLToPath(new URL('../../examples', import.meta.url));
    const [first, second] = [await loadWorkflows(examples), await loadWorkflows(examples)];
    expect([...first.refused.values()]).toEqual([]);
    expect([...first.workflows.keys()]).toEqual(['review']);
    expect(second.workflows.get('review')?.shape).toBe(first.workflows.get('review')?.shape);
  });
});
