import { afterEach, describe, expect, it } from 'vitest';
import type { Reply, Rule } from '../../../contract-tests/src/model/script.ts';
import { type Model, startModel } from '../../../contract-tests/src/model/server.ts';
import type { Message } from '../turn/port.ts';
import { aiSdkEngine } from './ai-sdk.ts';
import type { EngineEvent, StepRequest, StepResult } from './port.ts';

let model: Model | undefined;
afterEach(async () => {
  await model?.close();
  model = undefined;
});

const menu = [
  {
    name: 'run_checks',
    description: 'Runs the checks.',
    input: { type: 'object', properties: { deep: { type: 'boolean' } }, additionalProperties: false },
  },
  { name: 'approve', input: { type: 'object', properties: {} } },
];

const text = (id: string, role: Message['role'], ...texts: string[]): Message => ({
  id,
  role,
  parts: texts.map((one) => ({ type: 'text', text: one })),
});

interface Stepped {
  result: Promise<StepResult>;
  events: EngineEvent[];
  waits: number[];
}

async function step(rules: Rule[] | Reply, more: Partial<StepRequest> & { key?: string } = {}): Promise<Stepped> {
  model = await startModel({ script: { rules: Array.isArray(rules) ? rules : [{ reply: rules }] } });
  const [events, waits]: [EngineEvent[], number[]] = [[], []];
  let now = Date.now();
  const { key, ...rest } = more;
  const engine = aiSdkEngine({
    settings: { openaiBaseUrl: model.baseUrl, ...(key !== undefined && { openaiApiKey: key }) },
    random: () => 0,
    clock: {
      now: () => now,
      sleep: async (ms) => {
        waits.push(ms);
        now += ms;
      },
    },
  });
  const request: StepRequest = {
    system: 'You review.',
    history: [text('1', 'user', 'Look.', 'Allowed picks now: approve')],
    tools: menu,
    model: 'openai-compatible/any',
    signal: new AbortController().signal,
    emit: (event) => events.push(event),
    ...rest,
  };
  return { result: engine.step(request), events, waits };
}

describe('one step over the wire', () => {
  it.each(['openai-compatible/any', 'openai/gpt-4.1'])('%s streams text, calls and usage', async (name) => {
    const reply: Reply = {
      text: 'First the checks, then I decide.',
      chunkSize: 6,
      toolCalls: [{ name: 'run_checks', input: { deep: true } }, { name: 'approve' }],
      usage: { inputTokens: 120, outputTokens: 30, cachedInputTokens: 100 },
    };
    const { result, events } = await step(reply, { model: name });
    expect(await result).toEqual({
      parts: [{ type: 'text', text: 'First the checks, then I decide.' }],
      toolCalls: [
        { id: 'call_1_1', name: 'run_checks', input: { deep: true } },
        { id: 'call_1_2', name: 'approve', input: {} },
      ],
      usage: { inputTokens: 120, outputTokens: 30, cachedInputTokens: 100 },
    });
    expect(events.length).toBeGreaterThan(3);
    expect(events.map((event) => (event.type === 'text' ? event.text : '')).join('')).toBe(
      'First the checks, then I decide.',
    );
  });

  it('sends the instructions, the history and the tools as they are, in their order (TW-TRN-003)', async () => {
    const history: Message[] = [
      text('1', 'user', 'Look.', 'Allowed picks now: run_checks'),
      {
        id: '2',
        role: 'assistant',
        parts: [
          { type: 'text', text: 'Yes.' },
          { type: 'tool-call', id: 'a', name: 'run_checks', input: { deep: true } },
        ],
      },
      {
        id: '3',
        role: 'tool',
        parts: [{ type: 'tool-result', id: 'a', name: 'run_checks', text: 'It moved.', isError: false }],
      },
      text('4', 'user', 'Allowed picks now: approve'),
    ];
    const { result } = await step({ text: 'ok' }, { history, maxOutputTokens: 77, thinkingLevel: 'low' });
    await result;
    const body = model?.requests[0]?.body as unknown as Record<string, unknown>;
    expect(body.messages).toEqual([
      { role: 'system', content: 'You review.' },
      { role: 'user', content: 'Look.\n\nAllowed picks now: run_checks' },
      {
        role: 'assistant',
        content: 'Yes.',
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'run_checks', arguments: '{"deep":true}' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: 'It moved.' },
      { role: 'user', content: 'Allowed picks now: approve' },
    ]);
    const tools = menu.map(({ name, description, input }) => ({
      type: 'function',
      function: { name, ...(description && { description }), parameters: input },
    }));
    expect(JSON.stringify(body.tools)).toBe(JSON.stringify(tools));
    expect(body).toMatchObject({ model: 'any', stream: true, max_tokens: 77, reasoning_effort: 'low' });
  });

  it('says what is malformed and does not throw: broken JSON, an unknown tool, no arguments at all', async () => {
    const { result } = await step({
      toolCalls: [
        { name: 'run_checks', rawArguments: '{"deep": tru' },
        { name: 'merge', input: { now: true } },
        { name: 'approve', rawArguments: '' },
      ],
    });
    expect((await result).toolCalls).toEqual([
      { id: 'call_1_1', name: 'run_checks', input: '{"deep": tru', malformed: expect.stringContaining('{"deep": tru') },
      { id: 'call_1_2', name: 'merge', input: { now: true } },
      { id: 'call_1_3', name: 'approve', input: {} },
    ]);
  });

  it('says that the output was cut at its limit', async () => {
    const { result } = await step({ text: 'I was going', finishReason: 'length' }, { maxOutputTokens: 3 });
    expect(await result).toMatchObject({ truncated: true, parts: [{ text: 'I was going' }] });
  });

  it('without tools asks without tools', async () => {
    const { result } = await step({ text: 'ok' }, { tools: [] });
    await result;
    expect(model?.requests[0]?.body.tools).toBeUndefined();
  });
});

describe('a provider that fails', () => {
  const then = (...replies: Reply[]): Rule[] => [
    ...replies.map((reply, index) => ({ when: { attempt: index + 1 }, reply })),
    { reply: { text: 'At last.' } },
  ];

  it.each<[string, Reply]>([
    ['a rate limit', { error: { status: 429 } }],
    ['an overloaded server', { error: { status: 529 } }],
    ['an error of the server', { error: { status: 500 } }],
    ['a connection cut before the answer', { cut: 'before_headers' }],
    ['a connection cut after the headers', { cut: 'after_headers' }],
    ['a connection cut in the answer', { text: 'half of it', chunkSize: 2, cut: { afterChunks: 3 } }],
    [
      'a stream that ends without its last words',
      { text: 'half of it', chunkSize: 2, cut: { afterChunks: 3, clean: true } },
    ],
    [
      'an error inside the stream',
      { text: 'half of it', chunkSize: 2, streamError: { afterChunks: 3, message: 'overloaded' } },
    ],
  ])('%s is asked again, and what was said before is void', async (_, reply) => {
    const { result, events, waits } = await step(then(reply, reply));
    expect((await result).parts).toEqual([{ type: 'text', text: 'At last.' }]);
    expect(model?.requests).toHaveLength(3);
    expect(waits).toHaveLength(2);
    const last = events.findLastIndex((event) => event.type === 'again');
    expect(
      events
        .slice(last + 1)
        .map((event) => (event.type === 'text' ? event.text : ''))
        .join(''),
    ).toBe('At last.');
  });

  it('is asked again when it said that it may be', async () => {
    const { result, waits } = await step(then({ error: { status: 429, retryAfter: 7 } }));
    await result;
    expect(waits).toEqual([7000]);
  });

  it('is given up when it wants more time than there is', async () => {
    const { result, waits } = await step(
      then({ error: { status: 429, retryAfter: 3600, message: 'come back tomorrow' } }),
    );
    await expect(result).rejects.toThrow('(429): come back tomorrow (1 attempt)');
    expect(waits).toEqual([]);
  });

  it('is given up after six attempts, with its own words', async () => {
    const { result } = await step({ error: { status: 503, message: 'no capacity' } });
    await expect(result).rejects.toMatchObject({
      name: 'EngineFailure',
      message: expect.stringContaining('(503): no capacity (6 attempts)'),
    });
    expect(model?.requests).toHaveLength(6);
  });

  it.each([400, 401, 403, 404, 422])('%i is its final word', async (status) => {
    const { result } = await step({ error: { status, message: 'no' } });
    await expect(result).rejects.toThrow(`(${status}): no (1 attempt)`);
    expect(model?.requests).toHaveLength(1);
  });

  it('never has the key in what it says', async () => {
    const { result } = await step(
      { error: { status: 401, message: 'Incorrect API key provided: sk-very-secret.' } },
      { key: 'sk-very-secret' },
    );
    const error = await result.catch((reason: Error) => reason);
    expect((error as Error).message).toContain('Incorrect API key provided: [key].');
  });

  it('names what failed when nobody listens', async () => {
    const gone = await startModel({ script: { rules: [{ reply: {} }] } });
    await gone.close();
    const clock = { now: () => 0, sleep: async () => undefined };
    const engine = aiSdkEngine({ settings: { openaiBaseUrl: gone.baseUrl }, clock });
    const asked = engine.step({
      system: '',
      history: [text('1', 'user', 'x')],
      tools: [],
      model: 'openai-compatible/a',
      signal: new AbortController().signal,
      emit: () => undefined,
    });
    await expect(asked).rejects.toThrow(/connect ECONNREFUSED 127\.0\.0\.1:\d+ \(6 attempts\)/);
  });
});

describe('an abort (TW-ABT-006)', () => {
  it.each<[string, Reply]>([
    ['before the answer', { hang: true }],
    ['in the answer', { text: 'a long answer that takes its time', chunkSize: 1, chunkDelayMs: 50 }],
  ])('%s ends the step at once', async (_, reply) => {
    const abort = new AbortController();
    const { result } = await step(reply, { signal: abort.signal });
    result.catch(() => undefined);
    await expect.poll(() => model?.requests.length).toBe(1);
    const begun = Date.now();
    abort.abort();
    await expect(result).rejects.toThrow();
    expect(Date.now() - begun).toBeLessThan(1000);
    expect(model?.requests).toHaveLength(1);
  });

  it('between two attempts ends it too', async () => {
    const abort = new AbortController();
    const { result, events } = await step(
      { error: { status: 503 } },
      { signal: abort.signal, emit: () => abort.abort() },
    );
    await expect(result).rejects.toThrow();
    expect(events).toEqual([]);
    expect(model?.requests).toHaveLength(1);
  });
});
