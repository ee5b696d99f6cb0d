import { describe, expect, it } from 'vitest';
import type { Message } from '../turn/port.ts';
import { modelMessages } from './messages.ts';

describe('a stored history for the model', () => {
  it.each<[string, Message, unknown[]]>([
    ['a system message is left out', { id: '1', role: 'system', parts: [{ type: 'text', text: 'x' }] }, []],
    ['an answer that says nothing is left out', { id: '1', role: 'assistant', parts: [] }, []],
    [
      'an input that nobody could parse is shown for what it is',
      { id: '1', role: 'assistant', parts: [{ type: 'tool-call', id: 'a', name: 'approve', input: '{oops' }] },
      [
        {
          role: 'assistant',
          content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'approve', input: { not_an_object: '{oops' } }],
        },
      ],
    ],
    [
      'an error is an error',
      { id: '1', role: 'tool', parts: [{ type: 'tool-result', id: 'a', name: 'approve', text: 'No.', isError: true }] },
      [
        {
          role: 'tool',
          content: [
            { type: 'tool-result', toolCallId: 'a', toolName: 'approve', output: { type: 'error-text', value: 'No.' } },
          ],
        },
      ],
    ],
    ['a tool message without a result is left out', { id: '1', role: 'tool', parts: [] }, []],
  ])('%s', (_, message, expected) => expect(modelMessages([message])).toEqual(expected));
});
