import { TurnwireFault } from '@turnwire/sdk';
import { StartError } from '@turnwire/server';
import { describe, expect, it } from 'vitest';
import { CliError, explain } from './exit.ts';

const fault = (more: Partial<ConstructorParameters<typeof TurnwireFault>[0]>) =>
  new TurnwireFault({
    seat: 'runs',
    certainty: 'unknown',
    code: 'unreachable',
    address: 'http://127.0.0.1:4000/runs',
    attempts: 3,
    elapsedMs: 812.4,
    reason: 'connect refused',
    ...more,
  });
const answered = (status: number, code: string, more: Record<string, unknown> = {}) =>
  fault({ certainty: 'answered', status, code, problem: { code, detail: 'the detail', ...more }, attempts: 1 });

describe('how a command ends', () => {
  it.each<[string, unknown, number, RegExp]>([
    [
      'unreachable',
      fault({}),
      3,
      /^cannot reach the orchestrator at http:\/\/127\.0\.0\.1:4000 \(runs: connect refused after 3 attempts in 812 ms\); start it with `turnwire dev`, or set --url or TURNWIRE_URL/,
    ],
    ['an answer of somebody else', fault({ status: 502, code: 'bad_response', attempts: 1 }), 3, /after 1 attempt in/],
    ['not ready', answered(503, 'stopping'), 3, /is not ready: the detail \(503 stopping\)$/],
    [
      'a wrong token',
      answered(401, 'unauthorized'),
      2,
      /refused the instance token \(unauthorized\); set TURNWIRE_INSTANCE_TOKEN/,
    ],
    ['a token of another kind', answered(403, 'forbidden'), 2, /refused the instance token \(forbidden\)/],
    ['an unknown run', answered(404, 'unknown_run'), 2, /^the detail \(unknown_run\)$/],
    [
      'a wrong input',
      answered(422, 'invalid', {
        problems: [
          { path: '/title', message: 'is required' },
          { path: '', message: 'is odd' },
        ],
      }),
      2,
      /^invalid: title is missing; is odd$/,
    ],
    [
      'a refused workflow',
      answered(422, 'workflow_refused', { findings: [{ message: 'state x has no fault transition' }] }),
      2,
      /^the detail: state x has no fault transition$/,
    ],
    [
      'a refused workflow without findings',
      answered(422, 'workflow_refused', { findings: [] }),
      2,
      /its module cannot be used$/,
    ],
    ['a wrong setting', new StartError('a line'), 2, /^a line$/],
    ['Ctrl-C', fault({ code: 'aborted' }), 130, /^interrupted$/],
    ['its own', new CliError('mine', 1), 1, /^mine$/],
  ])('%s', (_name, error, exitCode, line) => {
    const explained = explain(error);
    expect(explained?.exitCode).toBe(exitCode);
    expect(explained?.message).toMatch(line);
  });

  it('a defect is not explained away', () => expect(explain(new TypeError('x'))).toBeUndefined());
});
