import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';

const spec = import.meta.dirname;
const bin = (name: string) => join(spec, '..', 'node_modules', '.bin', name);
const clean = ['harness', 'orchestrator', 'custodian', 'control'];

/** One thing that is broken: what it is, the rule that has to catch it, where it is, and what stands there instead (nothing: it is gone). */
type Break = readonly [what: string, rule: string, path: string, to?: unknown];

const admit = 'paths > /agents/{name}/{iid} > post';
const seat = `${admit} > x-turnwire-retry > seats > admission`;
const answers = 'components > responses';
const draining = `${answers} > Draining`;
const problem = 'content > application/problem+json';
const json = 'content > application/json';
const narrowed = `${draining} > ${problem} > schema > allOf > 1 > properties > code`;

// Put together here, because a test that names an id says that it tests it.
const strangeId = ['TW', 'ADM', '999'].join('-');
const otherId = ['TW', 'OUT', '001'].join('-');

/** All of them are made in the Harness's document. */
const breaks: readonly Break[] = [
  ['no root extension', 'turnwire-root', 'x-turnwire'],
  ['a root extension that says too little', 'turnwire-root', 'x-turnwire', { version: '1' }],
  ['an operation without an id', 'turnwire-operation-id', `${admit} > operationId`],
  ['an operationId in another case', 'turnwire-operation-id', `${admit} > operationId`, 'admit-prompt'],
  ['an operation without x-turnwire-retry', 'turnwire-retry', `${admit} > x-turnwire-retry`],
  ['a seat that may do what no seat may', 'turnwire-retry', `${seat} > unknown`, 'hope'],
  ['a seat without a window', 'turnwire-retry', `${seat} > windowMs`],
  ['an operation without requirements', 'turnwire-requirements-cited', `${admit} > x-turnwire-requirements`],
  ['a requirement cited and not listed', 'turnwire-requirements-cited', `${admit} > description`, `See ${otherId}.`],
  ['a response without a meaning', 'turnwire-meaning', `${answers} > Admitted > x-turnwire-meaning`],
  ['a meaning that is half', 'turnwire-meaning', `${answers} > Admitted > x-turnwire-meaning > taken`],
  ['a response without the version', 'turnwire-version-header', `${answers} > Admitted > headers > Turnwire-Version`],
  ['a Harness response without the store', 'turnwire-store-header', `${draining} > headers > Turnwire-Store`],
  ['a problem without its header', 'turnwire-problem-codes', `${draining} > headers > Turnwire-Code`],
  ['a problem that does not narrow its code', 'turnwire-problem-codes', narrowed],
  ['a body with another code than the header', 'turnwire-problem-codes', narrowed, { enum: ['draining', 'stopping'] }],
  [
    'a code that is never shown',
    'turnwire-problem-codes',
    `${answers} > UnknownConversation > ${problem} > examples > unknown_submission`,
  ],
  [
    'a code at the wrong status',
    'turnwire-problem-codes',
    `${admit} > responses > 418`,
    { $ref: '#/components/responses/Draining' },
  ],
  ['an error of HEAD without a code', 'turnwire-problem-codes', `${answers} > HeadGone > headers > Turnwire-Code`],
  ['a request without an example', 'turnwire-examples', `${admit} > requestBody > ${json} > examples`],
  ['a response without an example', 'turnwire-examples', `${answers} > Admitted > ${json} > examples`],
  ['a demand without an id', 'turnwire-requirement-ids', `${admit} > summary`, 'A Harness MUST admit'],
  [
    'an id that the prose does not have',
    'turnwire-requirement-ids',
    `${admit} > x-turnwire-requirements > 0`,
    strangeId,
  ],
  [
    'an object that may not grow',
    'turnwire-forward-compatible',
    'components > schemas > Admission > additionalProperties',
    false,
  ],
  [
    'an example that its schema refuses',
    'oas3-valid-media-example',
    'components > examples > admission > value > offset',
  ],
];

/** A document costs half a second to lint: the first breaks of all rules share one, the second ones another. */
const sharing: Break[][] = [];
for (const one of breaks) {
  const free = sharing.find((together) => !together.some(([, rule]) => rule === one[1]));
  if (free) free.push(one);
  else sharing.push([one]);
}

type JsonObject = { [key: string]: unknown };

function change(document: JsonObject, path: string, to: unknown): JsonObject {
  const steps = path.split(' > ');
  const last = steps.pop() as string;
  const parent = steps.reduce((at, step) => at[step] as JsonObject, document);
  // A path that has gone astray would break nothing, and be caught by nothing.
  if (to === undefined && !(last in parent)) throw new Error(`there is nothing at ${path}`);
  if (to === undefined) delete parent[last];
  else parent[last] = to;
  return document;
}

interface Finding {
  code: string;
  source: string;
  message: string;
}

let folder: string;
let findings: Map<string, Finding[]>;
const brokenFile = (index: number) => join(folder, `openapi/broken-${index}.yaml`);

/** One run of the command line over everything: it costs seconds to start, and nothing per document. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'turnwire-spectral-'));
  for (const part of ['openapi', 'protocol.md', 'retry.schema.json'])
    cpSync(join(spec, part), join(folder, part), { recursive: true });
  const source = readFileSync(join(folder, 'openapi/harness.yaml'), 'utf8');
  // Anchors are one object after parsing: written out, so that an edit stays where it was made.
  const plain = () => JSON.parse(JSON.stringify(parse(source))) as JsonObject;
  const broken = sharing.map((together, index) => {
    const file = brokenFile(index);
    writeFileSync(file, stringify(together.reduce((document, [, , path, to]) => change(document, path, to), plain())));
    return file;
  });
  // The control: rewritten like the broken ones, with nothing broken.
  writeFileSync(join(folder, 'openapi/control.yaml'), stringify(plain()));
  const files = [...clean.map((name) => join(folder, `openapi/${name}.yaml`)), ...broken];
  const args = ['lint', '-r', join(spec, 'spectral.yaml'), '-f', 'json', '-q', '--fail-severity=warn', ...files];
  const run = spawnSync(bin('spectral'), args, { encoding: 'utf8', maxBuffer: 2 ** 26 });
  findings = new Map(files.map((file) => [file, []]));
  for (const finding of JSON.parse(run.stdout) as Finding[]) findings.get(finding.source)?.push(finding);
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the spectral rules', () => {
  it.each(clean)('find nothing in %s.yaml', (name) => {
    expect(findings.get(join(folder, `openapi/${name}.yaml`))).toEqual([]);
  });

  it.each(breaks.map((one) => ({ what: one[0], rule: one[1], one })))('catch $what', ({ rule, one }) => {
    const caught = findings.get(brokenFile(sharing.findIndex((together) => together.includes(one)))) ?? [];
    expect(caught.map(({ code }) => code)).toContain(rule);
  });
});

it('redocly finds nothing in the documents', () => {
  const run = spawnSync(bin('redocly'), ['lint', '--config', join(spec, 'redocly.yaml')], { encoding: 'utf8' });
  expect(run.status, run.stderr).toBe(0);
  expect(run.stderr).toContain('Your API descriptions are valid');
  expect(run.stderr).not.toMatch(/You have \d+ warning/);
}, 60_000);

it('each rule of ours is broken by a case', () => {
  const { rules } = parse(readFileSync(join(spec, 'spectral.yaml'), 'utf8')) as { rules: Record<string, unknown> };
  const ours = Object.keys(rules).filter((name) => name.startsWith('turnwire-'));
  expect(ours.filter((name) => !breaks.some(([, rule]) => rule === name))).toEqual([]);
});
