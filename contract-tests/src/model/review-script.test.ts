import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { say } from './completion.ts';
import type { ChatMessage, ChatRequest } from './conversation.ts';
import { findRule } from './match.ts';
import { extractAll } from './template.ts';
import { parseScript } from './validate.ts';

const script = parseScript(readFileSync(new URL('../../scripts/review.json', import.meta.url), 'utf8'));

const asked: ChatMessage[] = [{ role: 'user', content: 'Review this change.' }];
const checkedWith = (result: string): ChatMessage[] => [
  ...asked,
  { role: 'assistant', tool_calls: [{ id: 'c', function: { name: 'run_checks' } }] },
  { role: 'tool', content: result },
];

function reply(messages: ChatMessage[]) {
  const tools = ['approve', 'request_changes', 'run_checks'].map((name) => ({ function: { name } }));
  const request: ChatRequest = { model: 'reviewer', messages, tools };
  const found = findRule(script.rules, request, 1);
  if (found === undefined) throw new Error('no rule');
  const said = say(found.rule.reply, extractAll(found.rule, found.facts), request);
  return { text: said.text, calls: said.calls.map((call) => [call.name, JSON.parse(call.arguments)]) };
}

describe("the demo's reviewer", () => {
  it('runs the checks first', () => {
    expect(reply(asked).calls).toEqual([['run_checks', {}]]);
  });

  it('approves what is clean, also behind a restated list', () => {
    const clean = checkedWith('The workflow took the pick run_checks.\nIts answer: {"passed":true,"findings":[]}');
    expect(reply(clean).calls).toEqual([['approve', {}]]);
    expect(reply([...clean, { role: 'user', content: 'Allowed picks now: approve.' }]).calls).toEqual([
      ['approve', {}],
    ]);
  });

  it('asks for a change for each finding', () => {
    const findings = [
      { file: 'a.ts', line: 3, message: 'a conflict marker' },
      { file: 'b.ts', message: 'too large' },
    ];
    const said = reply(
      checkedWith(`The workflow took it.\nIts answer: ${JSON.stringify({ passed: false, findings })}`),
    );
    expect(said.text).toContain('2 findings');
    const comments = [
      { file: 'a.ts', line: 3, body: 'a conflict marker' },
      { file: 'b.ts', line: 1, body: 'too large' },
    ];
    expect(said.calls).toEqual([['request_changes', { comments }]]);
  });

  it('tries again what can be called again, and stops when the turn is over', () => {
    expect(reply(checkedWith('It changed nothing. You can call it again.')).calls).toEqual([['run_checks', {}]]);
    expect(reply(checkedWith('The turn is over: there is nothing more to call.')).calls).toEqual([]);
  });
});
