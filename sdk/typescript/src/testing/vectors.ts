/** The spec's vectors as checks that can be run again and again, against whatever the tables say then. For tests only. */
import { deepStrictEqual as deepEqual, strictEqual as equal, ok } from 'node:assert';
import { readFileSync } from 'node:fs';
import { classify } from '../certainty.ts';
import { type OutcomeCode, outcomes, type TextName, texts } from '../gen/protocol.ts';
import { outcomeText, render } from '../outcomes.ts';
import { readDelivery, receiptOutcome } from '../receipt.ts';
import { decide, retryAfterMs, rungMs } from '../retry.ts';
import type { SeatPolicy } from '../table.ts';

/** Something that holds, or throws. */
export interface TableCheck {
  readonly name: string;
  readonly run: () => void;
}

interface Vector<Input, Expected> {
  id: string;
  says: string;
  input: Input;
  expected: Expected;
}

function checksOf<Input, Expected>(file: string, hold: (input: Input, expected: Expected) => void): TableCheck[] {
  const url = new URL(`../../../../spec/vectors/${file}.json`, import.meta.url);
  const { vectors } = JSON.parse(readFileSync(url, 'utf8')) as { vectors: Vector<Input, Expected>[] };
  return vectors.map(({ id, says, input, expected }) => ({
    name: `${file} ${id}: ${says}`,
    run: () => hold(input, expected),
  }));
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

function holdClassification(input: Record<string, unknown>, expected: Classified): void {
  const verdict = classify({ ...input, ...('error' in input ? { error: native(input.error) } : {}) });
  equal(verdict.certainty, expected.certainty);
  equal(verdict.permanent ?? false, expected.permanent ?? false);
  for (const member of ['taken', 'code', 'evidence'] as const) {
    if (expected[member] !== undefined) equal(verdict[member], expected[member]);
  }
}

type LadderInput = {
  random: number | number[];
  rung?: number;
  retryAfter?: string | null;
  nowMs?: number;
  leftMs?: number | null;
};
type LadderExpected = { delaysMs?: number[]; delayMs?: number; exhausted?: boolean };

function holdLadder(input: LadderInput, expected: LadderExpected): void {
  const { random, rung = 0, retryAfter, nowMs = 0, leftMs = null } = input;
  if (Array.isArray(random)) {
    const delays = random.map((draw, at) => rungMs(at, () => draw));
    equal(delays.length, expected.delaysMs?.length ?? 0);
    for (const [at, delay] of delays.entries()) expectClose(delay, expected.delaysMs?.[at]);
    return;
  }
  const policy: SeatPolicy = {
    neverDelivered: 'resend',
    unknown: 'resend',
    answers: [],
    windowMs: leftMs,
    attemptMs: 1,
  };
  const asked = retryAfterMs(retryAfter ?? undefined, undefined, nowMs);
  const outcome = {
    verdict: { certainty: 'unknown' as const },
    ...(asked === undefined ? {} : { retryAfterMs: asked }),
  };
  const decision = decide(policy, outcome, { startedAt: 0, rung }, {}, { now: 0, random: () => random });
  if (expected.exhausted === true) deepEqual(decision, { action: 'stop', because: 'exhausted' });
  else expectClose('delayMs' in decision ? decision.delayMs : undefined, expected.delayMs);
}

function expectClose(ms: number | undefined, expected: number | undefined): void {
  ok(Math.abs((ms ?? Number.NaN) - (expected ?? 0)) <= 1, `${ms} ms, not ${expected}`);
}

type Texts = { code?: OutcomeCode; text?: TextName; values: Record<string, unknown> };
type Rendered = { text: string; kind?: string; invites?: boolean };

function holdText({ code, text, values }: Texts, expected: Rendered): void {
  const rendered = code === undefined ? render(texts[text as TextName], values) : outcomeText(code, values);
  equal(rendered, expected.text);
  if (code === undefined) return;
  equal(outcomes[code].kind, expected.kind);
  equal(outcomes[code].invites, expected.invites);
}

type ReceiptExpected = {
  readable?: boolean;
  moved?: boolean | null;
  allowed?: string[] | null;
  turnComplete?: boolean;
  outcome?: string;
  text?: string;
};

function holdReceipt(input: { body: string; event: string }, expected: ReceiptExpected): void {
  const read = readDelivery({ status: 200, headers: {}, body: parsed(input.body) });
  equal(read?.status, expected.readable === false ? undefined : 'delivered');
  if (read?.status !== 'delivered') return;
  equal(read.moved ?? null, expected.moved ?? null);
  deepEqual(read.allowed ?? null, expected.allowed ?? null);
  equal(read.turnComplete ?? false, expected.turnComplete ?? false);
  const { allowed, answer, answerError, endedBy } = read;
  const code = receiptOutcome(read);
  if (expected.outcome !== undefined) equal(code, expected.outcome);
  const text = outcomeText(code, { event: input.event, allowed, answer, answerError, endedBy });
  if (expected.text !== undefined) equal(text, expected.text);
}

/** A body that is no JSON stays the text that came. */
function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

export const vectorChecks: readonly TableCheck[] = [
  ...checksOf('classification', holdClassification),
  ...checksOf('classification-node', holdClassification),
  ...checksOf('ladder', holdLadder),
  ...checksOf('outcomes', holdText),
  ...checksOf('receipts', holdReceipt),
];
