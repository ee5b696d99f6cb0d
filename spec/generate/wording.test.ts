import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readProblems } from './problems.ts';
import { readTexts } from './texts.ts';
import { invitations, wordingFault } from './wording.ts';

const spec = fileURLToPath(new URL('..', import.meta.url));
const { outcomes } = readTexts(spec, new Set(Object.keys(readProblems(spec))));

/** What each text must say, by requirement; in the order in which it must be said where that matters. */
const mustSay: Record<string, RegExp[]> = {
  never_reached: [/did not reach the workflow/, /\{detail\}/, /can call it again/],
  unknown_turn_ended: [/not known whether/, /taken can itself/, /not call it again before the next message/],
  unknown: [/not known whether/, /\{detail\}/, /second call can run the pick twice/],
  taken_turn_ended: [/arrived/, /turn ended before its answer was read/, /not call it again before the next message/],
  taken_answer_lost: [/arrived/, /answer did not/, /\{detail\}/, /not call it again before the next message/],
  moved: [/took/, /\{answer\}/, /\{allowed,\}/],
  turn_complete: [/turn is over/, /nothing more to call/],
  not_moved: [/^Nothing moved/, /do not repeat this call unchanged/, /\{allowed,\}/],
  refused: [/\{path\}.*\{message\}/, /\{allowed,\}/],
  outstanding_conflict: [/another pick is still being worked on/i, /\{otherEvent\}/],
  stopping: [/restarting/, /not taken/, /can call it again/],
  rejected: [/not taken/, /\{problemCode\}/, /\{problemDetail\}/],
  turn_over: [/turn .* is over/, /stop/i],
  forbidden: [/may not speak for this turn/],
};

describe('the texts of the outcomes', () => {
  it('covers every outcome (TW-OUT-002 to TW-OUT-015)', () => {
    expect(Object.keys(outcomes).sort()).toEqual(Object.keys(mustSay).sort());
  });

  it.each(Object.keys(mustSay))('%s says what it must, in order', (code) => {
    let rest = outcomes[code]?.text ?? '';
    for (const pattern of mustSay[code] ?? []) {
      const found = pattern.exec(rest);
      expect(found, `${pattern} in ${rest}`).not.toBeNull();
      rest = rest.slice((found?.index ?? 0) + (found?.[0].length ?? 0));
    }
  });

  it.each(Object.keys(mustSay))('%s invites a call exactly when its outcome does (TW-OUT-016)', (code) => {
    const row = outcomes[code];
    expect(invitations(row?.text ?? '').length > 0).toBe(row?.invites);
  });
});

describe('what is found in a wording', () => {
  const fault = (code: string, text: string, invites = false) => wordingFault(code, { text, invites });

  it.each([
    'It failed. Try again.',
    'You can call it again.',
    'It failed; please retry.',
    'Once more, please.',
    'You may call it now.',
    'Make the same call again.',
  ])('an invitation: %s', (text) => {
    expect(fault('turn_over', text)).toContain('take out the invitation');
  });

  it('no invitation in a sentence that forbids the call', () => {
    expect(fault('taken_turn_ended', 'Do not call it again before the next message.')).toBeUndefined();
  });

  it('an inviting outcome that does not invite', () => {
    expect(fault('stopping', 'It is restarting.', true)).toContain('say that it can be called again');
  });

  it('a way to find out, where there is none', () => {
    expect(fault('unknown', 'It is not known; read the state to find out.')).toBe('do not claim a way to find out');
  });

  it('a refusal to move that does not begin with it', () => {
    expect(fault('not_moved', 'The pick arrived. Nothing moved: do not repeat it.')).toContain('say first');
  });
});
