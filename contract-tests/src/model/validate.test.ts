import { describe, expect, it } from 'vitest';
import { parseScript, ScriptError, validateScript } from './validate.ts';

const rule = (fields: object) => ({ rules: [{ reply: {} }, fields] });

describe('a script', () => {
  it.each([
    [[], 'the script: must be an object'],
    [{}, 'rules: is missing'],
    [{ rules: [] }, 'rules: must hold at least one rule'],
    [{ rules: [{}] }, 'rules[0].reply: is missing'],
    [{ rules: [{ reply: {} }], modles: [] }, 'modles: is not known here (name, models, apiKey, defaults, rules)'],
    [rule({ reply: { text: 1 } }), 'rules[1].reply.text: must be a text'],
    [rule({ reply: { toolCalls: [{}] } }), 'rules[1].reply.toolCalls[0].name: is missing'],
    [rule({ reply: { delayMs: -1 } }), 'rules[1].reply.delayMs: must be a number, at least 0'],
    [rule({ reply: { error: {} } }), 'rules[1].reply.error.status: is missing'],
    [rule({ reply: { cut: 'somewhere' } }), 'rules[1].reply.cut: must be one of before_headers, after_headers'],
    [rule({ reply: { hang: 1 } }), 'rules[1].reply.hang: must be true or false'],
    [rule({ reply: {}, when: { step: 0 } }), 'rules[1].when.step: must be a whole number, at least 1'],
    [rule({ reply: {}, when: { step: [3, 1] } }), 'rules[1].when.step: must be [first, last]'],
    [
      rule({ reply: {}, when: { lastMessage: { contians: '' } } }),
      'rules[1].when.lastMessage.contians: is not known here',
    ],
    [
      rule({ reply: {}, when: { lastMessage: { matches: '(' } } }),
      'rules[1].when.lastMessage.matches: is not a regular expression',
    ],
    [rule({ reply: {}, when: { called: { a: 'b' } } }), 'rules[1].when.called.a: must be an object'],
    [rule({ reply: {}, extract: { a: { from: 'system' } } }), 'rules[1].extract.a: needs one of matches and json'],
    [rule({ reply: {}, extract: { a: { from: 'x', json: '' } } }), 'rules[1].extract.a.from: must be one of'],
  ])('%j is refused at its place', (script, message) => {
    expect(() => validateScript(script)).toThrow(message);
    expect(() => validateScript(script)).toThrow(ScriptError);
  });

  it('may use everything at once', () => {
    const when = {
      step: [1, 2],
      after: 'x',
      called: { a: 1, b: { min: 1, max: 2 } },
      tools: ['a'],
      attempt: 1,
      model: ['a', { equals: 'a' }],
    };
    const reply = {
      text: 'x',
      toolCalls: [{ name: 'a', input: { b: '{c}' }, rawArguments: '{' }],
      usage: { inputTokens: 1 },
      cut: { afterChunks: 2 },
      streamError: { afterChunks: 1, message: 'm' },
      error: { status: 429, retryAfter: 0.1 },
    };
    const script = {
      name: 'n',
      models: ['m'],
      apiKey: 'k',
      defaults: { chunkSize: 3 },
      rules: [{ name: 'r', when, extract: { c: { from: 'system', json: '' } }, reply }],
    };
    expect(validateScript(script)).toBe(script);
  });

  it('that is not JSON says so in one line', () => {
    expect(() => parseScript('{')).toThrow(/^the script: is not JSON \([^\n]*\)$/);
  });
});
