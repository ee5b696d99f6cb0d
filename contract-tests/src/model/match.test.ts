import { describe, expect, it } from 'vitest';
import type { ChatMessage, ChatRequest } from './conversation.ts';
import { findRule } from './match.ts';
import type { Condition } from './script.ts';

const user = (content: string): ChatMessage => ({ role: 'user', content });
const called = (...names: string[]): ChatMessage => ({
  role: 'assistant',
  content: null,
  tool_calls: names.map((name, index) => ({ id: `c${index}`, function: { name } })),
});
const result = (content: string): ChatMessage => ({ role: 'tool', content });

const request = (...messages: ChatMessage[]): ChatRequest => ({
  model: 'scripted',
  messages: [{ role: 'system', content: 'You review diffs.' }, ...messages],
  tools: [{ function: { name: 'run_checks' } }, { function: { name: 'approve' } }],
});

const opened = request(user('Review this.\n\nAllowed picks now: run_checks'));
const checked = request(user('Review this.'), called('run_checks'), result('took it: ["no conflict markers"]'));
const restated = request(...checked.messages.slice(1), user('Allowed picks now: approve'));
const second = request(
  user('first task'),
  called('run_checks'),
  result('ok'),
  { role: 'assistant', content: 'done' },
  user([
    { type: 'text', text: 'second ' },
    { type: 'text', text: 'task' },
  ] as unknown as string),
);

const rows: [string, Condition, ChatRequest, boolean, number?][] = [
  ['no condition', {}, opened, true],
  ['first step', { step: 1 }, opened, true],
  ['not the first step', { step: 1 }, checked, false],
  ['a range of steps', { step: [2, 4] }, checked, true],
  ['text of the newest message', { lastMessage: 'Review this' }, opened, true],
  ['several texts of it, one not there', { lastMessage: ['Review', 'merge'] }, opened, false],
  ['a text that must not be there', { lastMessage: { notContains: 'merge' } }, opened, true],
  ['an earlier message', { messages: 'first task' }, second, true],
  ['an earlier message is not the newest', { lastMessage: 'first task' }, second, false],
  ['text in parts', { lastMessage: { equals: 'second task' } }, second, true],
  ['the system message', { system: { matches: '^You \\w+ diffs' } }, opened, true],
  ['the newest tool result', { lastToolResult: 'conflict' }, checked, true],
  ['a tool result behind a restated list', { lastToolResult: 'conflict' }, restated, true],
  ['no tool result yet', { lastToolResult: { notContains: 'conflict' } }, opened, false],
  ['a tool result that an answer followed', { lastToolResult: 'ok' }, second, false],
  ['an older tool result', { toolResults: 'ok' }, second, true],
  ['a tool that was called', { called: { run_checks: 1 } }, checked, true],
  ['a tool that was not called', { called: { approve: 0 } }, checked, true],
  ['at least so often', { called: { run_checks: { min: 2 } } }, checked, false],
  ['at most so often', { called: { run_checks: { max: 1 } } }, checked, true],
  ['after a message, counted from there', { after: 'second task', step: 1, called: { run_checks: 0 } }, second, true],
  ['after a message that is not there', { after: 'third task' }, second, false],
  ['tools that are offered', { tools: ['approve'] }, opened, true],
  ['a tool that is not offered', { tools: ['merge'] }, opened, false],
  ['the model', { model: { equals: 'other' } }, opened, false],
  ['the second copy', { attempt: 2 }, opened, true, 2],
  ['not the second copy', { attempt: 2 }, opened, false, 1],
];

describe('a rule of the script', () => {
  it.each(rows)('%s', (_, when, chat, holds, attempt = 1) => {
    const found = findRule([{ when, reply: {} }], chat, attempt);
    expect(found !== undefined).toBe(holds);
  });

  it('is the first that holds', () => {
    const rules = [
      { name: 'later', when: { step: 2 }, reply: {} },
      { name: 'first', when: { step: 1 }, reply: {} },
      { name: 'any', reply: {} },
    ];
    expect(findRule(rules, opened, 1)?.rule.name).toBe('first');
    expect(findRule(rules, second, 1)?.rule.name).toBe('any');
  });
});
