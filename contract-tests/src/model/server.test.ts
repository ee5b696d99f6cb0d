import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Reply, Script } from './script.ts';
import { type Model, startModel } from './server.ts';

const running: Model[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((model) => model.close()));
});

async function model(script: Script, record?: string): Promise<Model> {
  const started = await startModel({ script, ...(record !== undefined && { record }) });
  running.push(started);
  return started;
}

const withReply = (reply: Reply) => model({ rules: [{ reply }] });

const hello = { model: 'any', messages: [{ role: 'user', content: 'hello' }] };

const post = (at: Model, body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${at.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

const events = (text: string) =>
  text
    .split('\n\n')
    .filter((event) => event.startsWith('data: {'))
    .map((event) => JSON.parse(event.slice('data: '.length)));

describe('the scripted model', () => {
  it('answers whole', async () => {
    const at = await withReply({
      text: 'Hi.',
      toolCalls: [{ name: 'approve', input: { a: 1 } }],
      usage: { inputTokens: 5, outputTokens: 7 },
    });
    const answer = await (await post(at, hello)).json();
    expect(answer.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        role: 'assistant',
        content: 'Hi.',
        tool_calls: [{ id: 'call_1_1', type: 'function', function: { name: 'approve', arguments: '{"a":1}' } }],
      },
    });
    expect(answer.usage).toMatchObject({ prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 });
  });

  it('streams text and arguments in pieces, with the usage when it is asked for', async () => {
    const at = await withReply({
      text: 'Größe 😀!',
      toolCalls: [{ name: 'approve', rawArguments: '{"a":' }],
      chunkSize: 2,
    });
    const answer = await post(at, { ...hello, stream: true, stream_options: { include_usage: true } });
    expect(answer.headers.get('content-type')).toBe('text/event-stream');
    const text = await answer.text();
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
    const chunks = events(text);
    const deltas = chunks.flatMap((chunk) => chunk.choices.map((choice: { delta: object }) => choice.delta));
    const said = deltas.map((delta: { content?: string }) => delta.content ?? '');
    expect(said.join('')).toBe('Größe 😀!');
    expect(said.filter((piece) => piece !== '')).toHaveLength(4);
    const called = deltas.flatMap(
      (delta: { tool_calls?: { function: { arguments: string } }[] }) => delta.tool_calls ?? [],
    );
    expect(called.map((call) => call.function.arguments).join('')).toBe('{"a":');
    expect(chunks.at(-2).choices[0].finish_reason).toBe('tool_calls');
    expect(chunks.at(-1).usage.total_tokens).toBeGreaterThan(0);
  });

  it('answers many at once, and warns of nothing', async () => {
    const at = await withReply({ text: 'Hi.', delayMs: 50 });
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(at, hello)));
    process.off('warning', onWarning);
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    expect(warnings).toEqual([]);
  });

  it('says nothing of usage in a stream that did not ask', async () => {
    const at = await withReply({ text: 'x' });
    const chunks = events(await (await post(at, { ...hello, stream: true })).text());
    expect(chunks.every((chunk) => chunk.usage === undefined)).toBe(true);
  });

  it('answers the same request with the same bytes, also after a restart', async () => {
    const script: Script = { rules: [{ reply: { text: 'x', toolCalls: [{ name: 'a' }, { name: 'b' }] } }] };
    const first = await (await post(await model(script), hello)).json();
    const again = await (await post(await model(script), hello)).json();
    expect({ ...again, created: 0 }).toEqual({ ...first, created: 0 });
  });

  it('counts the copies of a request, and keeps what it received without the key', async () => {
    const record = join(tmpdir(), `turnwire-model-${process.pid}.jsonl`);
    const script: Script = {
      apiKey: 'sk-secret',
      rules: [
        { name: 'busy', when: { attempt: 1 }, reply: { error: { status: 429, retryAfter: 2 } } },
        { reply: { text: 'ok' } },
      ],
    };
    const at = await model(script, record);
    const bearer = { authorization: 'Bearer sk-secret' };
    const busy = await post(at, hello, bearer);
    expect([busy.status, busy.headers.get('retry-after')]).toEqual([429, '2']);
    expect((await post(at, hello, bearer)).status).toBe(200);
    expect((await post(at, hello)).status).toBe(401);
    const { items } = (await (await fetch(`${at.url}/__requests`)).json()) as { items: Model['requests'] };
    expect(items.map(({ n, rule, attempt, authorized }) => [n, rule, attempt, authorized])).toEqual([
      [1, 'busy', 1, true],
      [2, '1', 2, true],
    ]);
    expect(items[0]?.body).toEqual(hello);
    const lines = readFileSync(record, 'utf8').trim().split('\n');
    rmSync(record);
    expect(lines.map((line) => JSON.parse(line).n)).toEqual([1, 2]);
    expect(JSON.stringify(items) + lines.join('')).not.toContain('sk-secret');
  });

  it.each<[string, Reply]>([
    ['before the headers', { cut: 'before_headers' }],
    ['after the headers', { cut: 'after_headers' }],
    ['in the stream', { text: 'abcdef', chunkSize: 1, cut: { afterChunks: 3 } }],
  ])('cuts the connection %s', async (_, reply) => {
    const at = await withReply(reply);
    const read = post(at, { ...hello, stream: true }).then((answer) => answer.text());
    await expect(read).rejects.toThrow();
    expect(at.requests).toHaveLength(1);
  });

  it('ends a stream with an error of its own', async () => {
    const at = await withReply({
      text: 'abcdef',
      chunkSize: 1,
      streamError: { afterChunks: 2, message: 'overloaded' },
    });
    const chunks = events(await (await post(at, { ...hello, stream: true })).text());
    expect(chunks).toHaveLength(3);
    expect(chunks.at(-1).error.message).toBe('overloaded');
  });

  it('never answers when it hangs, and closes all the same', async () => {
    const at = await withReply({ hang: true });
    const asked = post(at, hello).then(
      () => 'answered',
      () => 'closed',
    );
    await expect.poll(() => at.requests.length).toBe(1);
    await at.close();
    expect(await asked).toBe('closed');
  });

  it.each([
    ['{', 400, 'the body is not JSON'],
    [{ model: 'a' }, 400, 'messages: must be a list that is not empty'],
    [{ model: 'a', messages: [{}] }, 400, 'messages[0].role: must be a text'],
    [
      { ...hello, messages: [{ role: 'user', content: 'other' }] },
      400,
      'no rule of the script holds: step 1, newest message "other"',
    ],
  ])('refuses %j', async (body, status, message) => {
    const at = await model({ rules: [{ when: { lastMessage: 'hello' }, reply: { text: 'x' } }] });
    const answer = await post(at, body);
    expect(answer.status).toBe(status);
    expect((await answer.json()).error.message).toContain(message);
  });

  it('lists its models and serves nothing else', async () => {
    const at = await model({ models: ['one', 'two'], rules: [{ reply: {} }] });
    const { data } = await (await fetch(`${at.baseUrl}/models`)).json();
    expect(data.map((entry: { id: string }) => entry.id)).toEqual(['one', 'two']);
    expect((await fetch(`${at.baseUrl}/embeddings`)).status).toBe(404);
  });
});
