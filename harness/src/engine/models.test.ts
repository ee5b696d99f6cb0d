import { describe, expect, it } from 'vitest';
import { knownModel, modelSettings, resolveModel, withoutKeys } from './models.ts';

describe('a model string', () => {
  it.each([
    ['openai-compatible/any', true],
    ['openai/gpt-4.1', true],
    ['anthropic/claude-sonnet-4-5', true],
    ['openai-compatible/meta-llama/Llama-3.3-70B', true],
    ['openai/', false],
    ['openai', false],
    ['/gpt-4.1', false],
    ['', false],
    ['google/gemini', false],
    ['OpenAI/gpt-4.1', false],
    ['toString/x', false],
    ['openai/gpt 4', false],
    ['openai/gpt\n4', false],
  ])('%j is known: %s', (model, known) => expect(knownModel(model)).toBe(known));
});

describe('resolveModel', () => {
  const settings = { openaiApiKey: 'k', anthropicApiKey: 'k' };

  it.each([
    ['openai/gpt-5', 'high', { openai: { reasoningEffort: 'high' } }],
    ['openai-compatible/any', 'minimal', { openaiCompatible: { reasoningEffort: 'minimal' } }],
    ['openai/gpt-5', 'off', { openai: { reasoningEffort: 'none' } }],
    ['anthropic/claude', 'max', { anthropic: { effort: 'max' } }],
    ['anthropic/claude', 'off', { anthropic: { effort: 'low' } }],
    ['openai/gpt-5', 'a great deal', {}],
    ['openai/gpt-5', undefined, {}],
  ])('%s thinks %s', (model, level, options) =>
    expect(resolveModel(model, level, settings).providerOptions).toEqual(options),
  );

  it.each([
    ['openai/gpt-5', 'OPENAI_API_KEY is not set'],
    ['anthropic/claude', 'ANTHROPIC_API_KEY is not set'],
    ['nobody/x', 'unknown model "nobody/x"'],
  ])('%s without a key or a provider says what is missing', (model, message) => {
    expect(() => resolveModel(model, undefined, {})).toThrow(message);
  });

  it('a server of your own needs no key', () => {
    const own = { openaiBaseUrl: 'http://127.0.0.1:1/v1' };
    expect(resolveModel('openai/gpt-5', undefined, own).model).toBeDefined();
    expect(resolveModel('openai-compatible/any', undefined, {}).model).toBeDefined();
  });

  it.each([
    ['http://127.0.0.1:9', 'http://127.0.0.1:9/v1/messages'],
    ['http://127.0.0.1:9/v1', 'http://127.0.0.1:9/v1/messages'],
    ['http://127.0.0.1:9/', 'http://127.0.0.1:9/v1/messages'],
  ])('an Anthropic base URL %s, with or without its version', async (anthropicBaseUrl, url) => {
    const asked: string[] = [];
    const fetch = (async (input: string | URL | Request) => {
      asked.push(String(input));
      return new Response('{}', { status: 400 });
    }) as typeof globalThis.fetch;
    const { model } = resolveModel('anthropic/claude', undefined, { ...settings, anthropicBaseUrl }, fetch);
    if (typeof model === 'string' || model.specificationVersion !== 'v3') throw new Error('not a model');
    await expect(
      model.doGenerate({ prompt: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }] }),
    ).rejects.toThrow();
    expect(asked).toEqual([url]);
  });
});

describe('settings', () => {
  it('come from the environment, and an empty variable is none', () => {
    const env = { OPENAI_API_KEY: 'a', OPENAI_BASE_URL: '', ANTHROPIC_API_KEY: 'b', ANTHROPIC_BASE_URL: 'http://c' };
    expect(modelSettings(env)).toEqual({ openaiApiKey: 'a', anthropicApiKey: 'b', anthropicBaseUrl: 'http://c' });
  });

  it('never leave a key in a text', () => {
    const text = withoutKeys('key sk-123456 and sk-123456, x', { openaiApiKey: 'sk-123456', anthropicApiKey: 'x' });
    expect(text).toBe('key [key] and [key], x');
  });
});
