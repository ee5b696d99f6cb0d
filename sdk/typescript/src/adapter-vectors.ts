/** What the adapter answers of the pure parts: classification, ladder, texts, receipts, as in the spec's vectors. */
import { classify, type Verdict } from './certainty.ts';
import { type OutcomeCode, type TextName, texts } from './gen/protocol.ts';
import { outcomeText, render } from './outcomes.ts';
import { readDelivery, receiptOutcome } from './receipt.ts';
import { decide, retryAfterMs, rungMs } from './retry.ts';
import type { SeatPolicy } from './table.ts';

/** Judges evidence whose native error is JSON; `{"$ref": "#/…"}` in it stands for the object at that place. */
export function classified({ evidence = {} }: { evidence?: Record<string, unknown> | null }): Verdict {
  const { error, ...given } = evidence ?? {};
  return classify({ ...given, ...(error === undefined ? {} : { error: native(error) }) });
}

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

interface Rungs {
  readonly random: number | readonly number[];
  readonly rung?: number;
  readonly retryAfter?: string | null;
  readonly nowMs?: number;
  readonly leftMs?: number | null;
}

/** The delays of successive re-sends, or the one of a single rung. */
export function delays({ random, rung = 0, retryAfter, nowMs = 0, leftMs = null }: Rungs): object {
  if (typeof random !== 'number') return { delaysMs: random.map((draw, at) => rungMs(at, () => draw)) };
  const policy: SeatPolicy = {
    neverDelivered: 'resend',
    unknown: 'resend',
    answers: [],
    windowMs: leftMs,
    attemptMs: 1,
  };
  const asked = retryAfterMs(retryAfter ?? undefined, undefined, nowMs);
  const outcome = { verdict: { certainty: 'unknown' as const }, ...(asked !== undefined && { retryAfterMs: asked }) };
  const decision = decide(policy, outcome, { startedAt: 0, rung }, {}, { now: 0, random: () => random });
  return decision.action === 'stop' ? { exhausted: true } : { delayMs: decision.delayMs };
}

/** A text of the spec with its values. */
export function textOf(of: { code?: OutcomeCode; text?: TextName; values: Record<string, unknown> }): { text: string } {
  return {
    text: of.code === undefined ? render(texts[of.text as TextName], of.values) : outcomeText(of.code, of.values),
  };
}

/** What the body of a 200 to a pick says, and what the model is told. */
export function receiptSays({ body, event }: { body: string; event: string }): object {
  const read = readDelivery({ status: 200, headers: {}, body: parsed(body) });
  if (read?.status !== 'delivered') return { readable: false };
  const { moved = null, allowed, answer, answerError, endedBy, turnComplete } = read;
  const outcome = receiptOutcome(read);
  const said = { answer, answerError, endedBy };
  const text = outcomeText(outcome, { event, allowed, ...said });
  return {
    readable: true,
    moved,
    allowed: allowed ?? null,
    turnComplete: turnComplete === true,
    ...said,
    outcome,
    text,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
