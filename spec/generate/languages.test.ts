import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { pascal, snake } from './casing.ts';
import { goEntries } from './go-literal.ts';
import { Call, literal, text } from './python-literal.ts';
import { readSchemas } from './schemas.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const schemas = new Map(readSchemas(`${repository}/spec`).map((each) => [each.name, each]));

describe('names', () => {
  it.each([
    ['turnId', 'turn_id', 'TurnID'],
    ['neverDelivered', 'never_delivered', 'NeverDelivered'],
    ['tool-call', 'tool_call', 'ToolCall'],
    ['streamUrl', 'stream_url', 'StreamURL'],
    ['iid', 'iid', 'IID'],
  ])('%s is %s in Python and %s in Go', (name, python, go) => {
    expect([snake(name), pascal(name)]).toEqual([python, go]);
  });
});

describe('Python literals', () => {
  it('stay on a line that they fit on, and have one item a line otherwise', () => {
    const rule = new Call('Rule', { code: ['A'], windowMs: null, isOurs: true, absent: undefined });
    expect(literal(rule)).toBe('Rule(code=("A",), window_ms=None, is_ours=True)');
    expect(literal({ a: 'x'.repeat(70), b: 'y'.repeat(60) })).toBe(
      `{\n    "a": "${'x'.repeat(70)}",\n    "b": "${'y'.repeat(60)}",\n}`,
    );
  });

  it('have the quotes that need fewer escapes', () => {
    expect([text('plain'), text(`it's "so"`), text('"so"')]).toEqual(['"plain"', `'it\\'s "so"'`, `'"so"'`]);
  });
});

it('Go values of neighbouring lines stand in one column, which a value of several lines ends', () => {
  const inner = goEntries('', [['"b"', '1']], '\t');
  expect(
    goEntries(
      'T',
      [
        ['A', '1'],
        ['Long', '2'],
        ['M', inner],
        ['N', '3'],
      ],
      '',
    ),
  ).toBe('T{\n\tA:    1,\n\tLong: 2,\n\tM: {\n\t\t"b": 1,\n\t},\n\tN: 3,\n}');
});

describe('schemas', () => {
  it('an allOf is one object, an inner object gets a name, a oneOf of names is a union', () => {
    const settled = schemas.get('SubmissionSettled');
    expect(settled?.kind === 'object' && settled.fields.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['submissionId', 'at', 'outcome', 'error', 'type']),
    );
    expect(schemas.get('SettlementError')).toMatchObject({ kind: 'object' });
    expect(schemas.get('StreamRecord')).toMatchObject({ kind: 'union', members: expect.arrayContaining(['Usage']) });
  });
});

const go = spawnSync('gofmt', ['-h'], { stdio: 'ignore' }).error === undefined;

it.skipIf(!go)('gofmt has nothing to say about what is generated', () => {
  const { stdout } = spawnSync('gofmt', ['-l', 'sdk/go/gen'], { cwd: repository, encoding: 'utf8' });
  expect(stdout).toBe('');
});

it('each language has the rules of its own errors alone', () => {
  const of = (path: string) => readFileSync(`${repository}/${path}`, 'utf8');
  expect(of('sdk/typescript/src/gen/protocol.ts')).not.toMatch(/gaierror|DNSError/);
  expect(of('sdk/python/src/turnwire/gen/protocol.py')).not.toMatch(/UND_ERR|DNSError/);
  expect(of('sdk/go/gen/protocol.go')).not.toMatch(/UND_ERR|gaierror/);
});
