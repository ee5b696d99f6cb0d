import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '@turnwire/server';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { temporaryFolder } from '../testing/harness-fixture.ts';
import { loadAgents, resolvePrompt } from './agents.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder, 'agents.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const known = (model: string) => model.startsWith('openai/');
const coder = { model: 'openai/x', instructions: 'Write code.', limits: { maxToolCalls: 9, deadlineSeconds: 60 } };

it('reads the agents that a file configures', () => {
  writeFileSync(file, JSON.stringify({ agents: { coder, thinker: { ...coder, thinkingLevel: 'high' } } }));
  const agents = loadAgents(file, known);
  expect(agents.get('coder')).toEqual(coder);
  expect(agents.get('thinker')?.thinkingLevel).toBe('high');
});

it('reads what a node tells of an agent, and asks no model with it', () => {
  const output = { type: 'object', required: ['ok'] };
  writeFileSync(file, JSON.stringify({ agents: { coder: { ...coder, description: 'Writes code.', output } } }));
  const agents = loadAgents(file, known);
  expect(agents.get('coder')).toEqual({ ...coder, description: 'Writes code.', output });
  expect(resolvePrompt('coder', { message: 'm' }, agents, known).definition).toEqual(coder);
});

it.each([
  ['{"agents": {"coder": {"model": "openai/x", "instructions": "", "output": []}}}', /output that is no JSON Schema/],
  ['{"agents": {"coder": {"model": "openai/x", "instructions": "", "description": 1}}}', /description that is no text/],
  ['{', /cannot be read/],
  ['[]', /no object "agents"/],
  ['{"agents": [{"name": "coder", "model": "openai/x", "instructions": ""}]}', /no object "agents"/],
  ['{"agents": {"a coder": {"model": "openai/x", "instructions": ""}}}', /name has letters, digits .*: "a coder"/],
  ['{"agents": {"coder": null}}', /agent coder needs a model and instructions/],
  ['{"agents": {"coder": {"model": "acme/x", "instructions": ""}}}', /unknown model acme/],
])('refuses %s with one line that names what is wrong', (text, line) => {
  writeFileSync(file, text);
  expect(() => loadAgents(file, known)).toThrow(StartError);
  expect(() => loadAgents(file, known)).toThrow(line);
});

it('lays the limits of an admission over those of the definition, one by one (TW-ADM-009)', () => {
  const body = { message: 'm', definition: coder, limits: { maxToolCalls: 1 }, thinkingLevel: 'low' };
  expect(resolvePrompt('coder', body, new Map(), known).definition).toEqual({
    ...coder,
    limits: { maxToolCalls: 1, deadlineSeconds: 60 },
    thinkingLevel: 'low',
  });
});
