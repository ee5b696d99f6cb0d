import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { classify } from './certainty.ts';
import { type OutcomeCode, type TextName, texts } from './gen/protocol.ts';
import { outcomeText, render } from './outcomes.ts';
import { readDelivery, receiptOutcome } from './receipt.ts';
import { decide, retryAfterMs, rungMs } from './retry.ts';
import type { SeatPolicy } from './table.ts';

interface Vector<Input, Expected> {
  id: string;
  says: string;
  input: Input;
  expected: Expected;
}

function vectorsOf<Input, Expected>(file: string): Vector<Input, Expected>[] {
  const url = new URL(`../../../spec/vectors/${file}.json`, import.meta.url);
  return JSON.parse(readFileSync(url, 'utf8')).vectors;
}

/** Gives `{"$ref": "#/…"}` its object: that is how cycles and shared members are written. */
function native(json: unknown): unknown {
  const made = new Map<string, unknown>();
  const build = (value: unknown, at: string): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if ('$ref' in value) return made.get(String(value.$ref));
    const target: Record<string, unknown> | unknown[] = Array.isArray(value) ? [] : {};
    made.set(at, target);
    for (const [name, member] of Object.entries(value)) Reflect.set(target, name, build(member, `${at}/${name}`));
    return target;
  };
  return build(json, '#');
}

type Classified = { certainty: string; taken?: boolean; permanent?: boolean; code?: string; evidence?: string };

describe.each(['classification', 'classification-node'])('%s vectors', (file) => {
  const vectors = vectorsOf<Record<string, unknown>, Classified>(file);
  it('are there', () => expect(vectors.length).toBeGreaterThan(10));
  it.each(vectors)('$id: $says', ({ input, expected }) => {
    const verdict = classify({ ...input, ...('error' in input ? { error: native(input.error) } : {}) });
    expect(verdict.certainty).toBe(expected.certainty);
    expect(verdict.permanent ?? false).toBe(expected.permanent ?? false);
    for (const member of ['taken', 'code', 'evidence'] as const) {
      if (expected[member] !== undefined) expect(verdict[member]).toBe(expected[member]);
    }
  });
});

type LadderInput = {
  random: number | number[];
  rung?: number;
  retryAfter?: string | null;
  nowMs?: number;
  leftMs?: number | null;
};

describe('ladder vectors', () => {
  it.each(vectorsOf<LadderInput, { delaysMs?: number[]; delayMs?: number; exhausted?: boolean }>('ladder'))(
    '$id: $says',
    ({ input, expected }) => {
      const { random, rung = 0, retryAfter, nowMs = 0, leftMs } = input;
      if (Array.isArray(random)) {
        const delays = random.map((draw, at) => rungMs(at, () => draw));
        expect(delays).toHaveLength(expected.delaysMs?.length ?? 0);
        for (const [at, delay] of delays.entries()) {
          expect(Math.abs(delay - (expected.delaysMs?.[at] ?? -9))).toBeLessThanOrEqual(1);
        }
        return;
      }
      const windowMs = leftMs === undefined ? null : leftMs;
      const policy: SeatPolicy = { neverDelivered: 'resend', unknown: 'resend', answers: [], windowMs, attemptMs: 1 };
      const asked = retryAfterMs(retryAfter ?? undefined, undefined, nowMs);
      const outcome = {
        verdict: { certainty: 'unknown' as const },
        ...(asked === undefined ? {} : { retryAfterMs: asked }),
      };
      const decision = decide(policy, outcome, { startedAt: 0, rung }, {}, { now: 0, random: () => random });
      if (expected.exhausted === true) expect(decision).toEqual({ action: 'stop', because: 'exhausted' });
      else
        expect(Math.abs(('delayMs' in decision ? decision.delayMs : -9) - (expected.delayMs ?? 0))).toBeLessThanOrEqual(
          1,
        );
    },
  );
});

type Texts = { code?: OutcomeCode; text?: TextName; values: Record<string, unknown> };

describe('outcome vectors', () => {
  it.each(vectorsOf<Texts, { text: string }>('outcomes'))('$id: $says', ({ input, expected }) => {
    const { code, text, values } = input;
    expect(code === undefined ? render(texts[text as TextName], values) : outcomeText(code, values)).toBe(
      expected.text,
    );
  });
});

type ReceiptExpected = {
  readable?: boolean;
  moved?: boolean | null;
  allowed?: string[] | null;
  turnComplete?: boolean;
  outcome?: string;
  text?: string;
};

describe('receipt vectors', () => {
  it.each(vectorsOf<{ body: string; event: string }, ReceiptExpected>('receipts'))(
    '$id: $says',
    ({ input, expected }) => {
      let body: unknown = input.body;
      try {
        body = JSON.parse(input.body);
      } catch {
        // A body that is no JSON stays the text that came.
      }
      const read = readDelivery({ status: 200, headers: {}, body });
      if (expected.readable === false) return expect(read).toBeUndefined();
      expect(read?.status).toBe('delivered');
      if (read?.status !== 'delivered') return;
      expect(read.moved ?? null).toBe(expected.moved ?? null);
      expect(read.allowed ?? null).toEqual(expected.allowed ?? null);
      const { allowed, answer, answerError, endedBy } = read;
      const code = receiptOutcome(read);
      if (expected.outcome !== undefined) expect(code).toBe(expected.outcome);
      const text = outcomeText(code, { event: input.event, allowed, answer, answerError, endedBy });
      if (expected.text !== undefined) expect(text).toBe(expected.text);
    },
  );
});
