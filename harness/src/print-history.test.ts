import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '@turnwire/server';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { LogRecord } from './conversation/state.ts';
import { encodeBlock } from './log/block.ts';
import { conversationFile, makeFolder } from './log/folder.ts';
import { readConversation, renderHistory } from './print-history.ts';
import { temporaryFolder } from './testing/harness-fixture.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
  makeFolder(join(folder, 'conversations'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const at = '2026-01-01T00:00:00.000Z';
const stamp = { submissionId: 'sub_1', turnId: 't1', at };
const definition = { model: 'openai/x', instructions: '' };
const records: LogRecord[] = [
  { type: 'private.created', iid: 'One', name: 'coder', incarnation: 'i', at },
  { type: 'private.admitted', ...stamp, digest: '', agentName: 'coder', definition, message: 'm', notices: [] },
  {
    type: 'message.appended',
    ...stamp,
    message: { id: '1', role: 'user', parts: [{ type: 'text', text: 'two\nlines' }] },
  },
  {
    type: 'message.appended',
    ...stamp,
    message: { id: '2', role: 'assistant', parts: [{ type: 'tool-call', id: 'c', name: 'ask', input: { a: 1 } }] },
  },
  {
    type: 'message.appended',
    ...stamp,
    message: {
      id: '3',
      role: 'tool',
      parts: [{ type: 'tool-result', id: 'c', name: 'ask', text: 'no', isError: true }],
    },
  },
  { type: 'submission.settled', ...stamp, outcome: 'failed', error: { code: 'runaway', message: 'too many' } },
];
const write = (bytes: Buffer) => writeFileSync(conversationFile(join(folder, 'conversations'), 'One'), bytes);

it('prints a conversation for a person, a torn tail left alone', () => {
  write(Buffer.concat([encodeBlock(records), Buffer.from('1234')]));
  expect(renderHistory(readConversation(folder, 'One'))).toBe(
    [
      'conversation One with coder',
      '',
      'user',
      '  two',
      '  lines',
      '',
      'assistant',
      '  → ask {"a":1}',
      '',
      'tool',
      '  ← ask failed: no',
      '',
      'submissions',
      '  sub_1 turn t1: failed (runaway: too many)',
      '',
    ].join('\n'),
  );
});

it('says in one line what cannot be shown', () => {
  expect(() => readConversation(folder, 'one')).toThrow(StartError);
  write(Buffer.from('damaged\n'));
  expect(() => readConversation(folder, 'One')).toThrow(/is damaged/);
});

it('keeps the names of conversations apart where a file system folds case', () => {
  const names = ['One', 'one', 'a.b', 'a_b', '..', '~'.repeat(128)].map((iid) => conversationFile('/x', iid));
  expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^\/x\/[a-z0-9_-]+\.[0-9a-f]{24}\.log$/);
});
