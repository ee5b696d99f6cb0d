import { describe, expect, it } from 'vitest';
import { aiSdkEngine } from './ai-sdk.ts';

/** The Messages API's stream, as its documentation shows it. */
const events = [
  {
    type: 'message_start',
    message: {
      id: 'm',
      type: 'message',
      role: 'assistant',
      model: 'claude',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 25, cache_read_input_tokens: 5, output_tokens: 1 },
    },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'First the checks.' } },
  { type: 'content_block_stop', index: 0 },
  {
    type: 'content_block_start',
    index: 1,
    content_block: { type: 'tool_use', id: 'toolu_1', name: 'run_checks', input: {} },
  },
  { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"deep":' } },
  { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: ' true}' } },
  { type: 'content_block_stop', index: 1 },
  { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 40 } },
  { type: 'message_stop' },
];

describe('an Anthropic model', () => {
  it('streams text, a call and its usage; tool results go back as its blocks', async () => {
    const asked: { url: string; headers: Headers; body: Record<string, unknown> }[] = [];
    const fetch = (async (url: string, init: RequestInit) => {
      asked.push({ url, headers: new Headers(init.headers), body: JSON.parse(String(init.body)) });
      const text = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
      return new Response(text, { headers: { 'content-type': 'text/event-stream' } });
    }) as typeof globalThis.fetch;
    const clock = { now: Date.now, sleep: async () => undefined };
    const engine = aiSdkEngine({
      settings: { anthropicApiKey: 'key', anthropicBaseUrl: 'http://anthropic.test' },
      clock,
      fetch,
    });
    const result = await engine.step({
      system: 'You review.',
      history: [
        { id: '1', role: 'user', parts: [{ type: 'text', text: 'Look.' }] },
        { id: '2', role: 'assistant', parts: [{ type: 'tool-call', id: 'toolu_0', name: 'run_checks', input: {} }] },
        {
          id: '3',
          role: 'tool',
          parts: [{ type: 'tool-result', id: 'toolu_0', name: 'run_checks', text: 'No.', isError: true }],
        },
        { id: '4', role: 'user', parts: [{ type: 'text', text: 'Allowed picks now: run_checks' }] },
      ],
      tools: [{ name: 'run_checks', input: { type: 'object', properties: { deep: { type: 'boolean' } } } }],
      model: 'anthropic/claude-sonnet-4-5',
      signal: new AbortController().signal,
      emit: () => undefined,
    });
    expect(result).toEqual({
      parts: [{ type: 'text', text: 'First the checks.' }],
      toolCalls: [{ id: 'toolu_1', name: 'run_checks', input: { deep: true } }],
      usage: { inputTokens: 30, outputTokens: 40, cachedInputTokens: 5 },
    });
    expect(asked).toHaveLength(1);
    expect([asked[0]?.url, asked[0]?.headers.get('x-api-key')]).toEqual(['http://anthropic.test/v1/messages', 'key']);
    const messages = asked[0]?.body.messages as {
      role: string;
      content: { type: string; is_error?: boolean; text?: string }[];
    }[];
    expect(messages.map((message) => message.role)).toEqual(['user', 'assistant', 'user']);
    expect(messages[2]?.content.map((block) => [block.type, block.is_error ?? block.text])).toEqual([
      ['tool_result', true],
      ['text', 'Allowed picks now: run_checks'],
    ]);
  });
});
