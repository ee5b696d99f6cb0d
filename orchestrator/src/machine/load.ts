/** Loads a folder of workflow modules: each one is served, or refused with everything that is wrong with it (TW-AUT-012). */
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AnyStateMachine } from 'xstate';
import { hosted } from './hosted.ts';
import { reasonOf } from './json.ts';
import { inputSchemaOf, menuOf } from './menu.ts';
import { readyToImport } from './module-hooks.ts';
import type { Finding, Loaded, Refused, Workflow, WorkflowEvent } from './port.ts';
import { shapeOf } from './shape.ts';
import { machineOf } from './statechart/chart.ts';
import { isMachine, vocabularyOf } from './vocabulary.ts';
import { walk } from './walk/walk.ts';

/** A workflow as data; the second dot tells it from the other JSON files that lie beside modules. */
const STATECHART = '.statechart.json';

/** A workflow's name is part of URLs and of command lines. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/**
 * Every `.ts`, `.js` and `.mjs` directly in `folder`, and every `NAME.statechart.json`. Folders in it, and other files with a second
 * dot (`x.test.ts`), are not workflows.
 */
export async function loadWorkflows(folder: string): Promise<Loaded> {
  const loaded: Loaded = { workflows: new Map(), refused: new Map() };
  const files = await modulesIn(folder);
  if (files.some((file) => !file.endsWith(STATECHART))) readyToImport(resolve(folder));
  for (const file of files) {
    const name = nameOf(file);
    const others = files.filter((other) => other !== file && nameOf(other) === name);
    const outcome =
      others.length > 0
        ? refuse(name, join(folder, file), sameName(name, [file, ...others]))
        : await loadWorkflow(join(folder, file));
    if ('findings' in outcome) loaded.refused.set(name, outcome);
    else loaded.workflows.set(name, outcome);
  }
  return loaded;
}

async function modulesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name);
  return files.filter((file) => /^[^.]+\.(ts|js|mjs|statechart\.json)$/.test(file)).sort();
}

function nameOf(file: string): string {
  return file.endsWith(STATECHART) ? file.slice(0, -STATECHART.length) : file.slice(0, -extname(file).length);
}

export async function loadWorkflow(file: string): Promise<Workflow | Refused> {
  const name = nameOf(file.slice(file.lastIndexOf('/') + 1));
  if (!NAME.test(name))
    return refuse(
      name,
      file,
      problem(
        name,
        'workflow_name',
        'its file name cannot be a workflow name',
        'Name the file with letters, digits, underscores and hyphens',
      ),
    );
  let exported: unknown;
  try {
    exported = await machineIn(file);
  } catch (error) {
    return refuse(
      name,
      file,
      problem(
        name,
        'module_threw',
        `its module ${file} could not be loaded (${reasonOf(error)})`,
        file.endsWith(STATECHART)
          ? 'Correct the statechart at these places'
          : 'Correct the module; `node` or `tsx` on that file shows where',
      ),
    );
  }
  if (!isMachine(exported))
    return refuse(
      name,
      file,
      problem(
        name,
        'no_machine',
        `its module ${file} exports no \`machine\``,
        'Write `export const machine = setup({ … }).createMachine({ … })`',
      ),
    );
  try {
    return workflowOf(name, file, exported);
  } catch (error) {
    // XState reads parts of a config late: an initial state that is not there shows only when it is asked for.
    const wrong = `its machine cannot be read (${reasonOf(error)})`;
    return refuse(name, file, problem(name, 'machine_broken', wrong, 'Correct the machine where this points to'));
  }
}

async function machineIn(file: string): Promise<unknown> {
  if (file.endsWith(STATECHART)) return machineOf(JSON.parse(await readFile(file, 'utf8')));
  return ((await import(/* @vite-ignore */ pathToFileURL(file).href)) as { machine?: unknown }).machine;
}

/** The Workflow of a Machine, walked. Also what tests use that have no file. */
export function workflowOf(name: string, file: string, authored: AnyStateMachine): Workflow | Refused {
  const vocabulary = vocabularyOf(authored);
  if (!vocabulary)
    return refuse(
      name,
      file,
      problem(
        name,
        'not_set_up',
        "its machine was not made by this package's setup",
        "Import `setup` from '@turnwire/orchestrator' in place of XState's",
      ),
    );
  const findings = walk(name, authored, vocabulary);
  if (findings.length > 0) return { name, file, findings };
  const events = Object.fromEntries(
    (vocabulary.events as readonly WorkflowEvent[]).map((event) => [event.name, event]),
  );
  const menus = Object.fromEntries(
    Object.keys(vocabulary.agents).map((slot) => [slot, menuOf(authored, events, slot)]),
  );
  return {
    name,
    file,
    machine: hosted(authored),
    authored,
    agents: vocabulary.agents,
    events,
    inputSchema: vocabulary.input,
    inputJson: inputSchemaOf(vocabulary.input),
    menus,
    shape: shapeOf(authored, menus),
  };
}

function refuse(name: string, file: string, finding: Finding): Refused {
  return { name, file, findings: [finding] };
}

function problem(name: string, code: string, wrong: string, remedy: string): Finding {
  return { code, message: `workflow '${name}': ${wrong}. ${remedy}.` };
}

function sameName(name: string, files: string[]): Finding {
  return problem(
    name,
    'workflow_name_twice',
    `it is the name of more than one file (${files.sort().join(', ')})`,
    'Keep one of them, or rename',
  );
}
