import { describe, expect, it } from 'vitest';
import { hasModel } from './environment.ts';
import { logText } from './log-line.ts';

describe('a log line as a person reads it', () => {
  it.each([
    ['a plain one', '{"level":30,"time":"t","pid":1,"role":"harness","msg":"listening"}', 'listening'],
    ['its fields', '{"level":30,"msg":"m","runId":"r1","ms":3,"why":"two words"}', 'm runId=r1 ms=3 why="two words"'],
    ['its level when it matters', '{"level":40,"msg":"slow"}', 'warn slow'],
    [
      'an error by its message',
      '{"level":50,"msg":"m","err":{"type":"E","message":"boom","stack":"E\\n at"}}',
      'error m err="boom"',
    ],
    ['what is no JSON', 'plain text', 'plain text'],
    ['JSON that is no record', '[1]', '[1]'],
  ])('%s', (_name, line, text) => expect(logText(line)).toBe(text));
});

describe('a model of its own', () => {
  it.each([
    [{}, false],
    [{ OPENAI_API_KEY: '' }, false],
    [{ OPENAI_API_KEY: 'k' }, true],
    [{ OPENAI_BASE_URL: 'http://x/v1' }, true],
    [{ ANTHROPIC_API_KEY: 'k' }, true],
  ])('%j: %s', (env, expected) => expect(hasModel(env)).toBe(expected));
});
