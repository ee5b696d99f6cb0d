/** What the turn itself tells the model; every sentence is a template of the spec. */
import { outcomes, render, texts } from '@turnwire/sdk';

/** Last in the first message of a turn (TW-TRN-004). */
export const allowedPicks = (allowed: readonly string[]) => render(texts.allowed_picks, { allowed: [...allowed] });

/** Appended at a step boundary (TW-TRN-005). */
export const allowedPicksChanged = (allowed: readonly string[]) =>
  render(texts.allowed_picks_changed, { allowed: [...allowed] });

export const notExecuted = (name: string) => render(texts.not_executed, { name });

export const malformedCall = (name: string, detail: string, allowed: readonly string[]) =>
  render(texts.malformed_call, { name, detail, allowed: [...allowed] });

export const unknownCall = (name: string, allowed: readonly string[]) =>
  render(texts.unknown_call, { name, allowed: [...allowed] });

export const runawayCall = (name: string, reason: string) => render(texts.runaway_call, { name, reason });

/** A call that a dead process may have sent. */
export const inDoubt = (event: string) => render(outcomes.unknown_turn_ended.text, { event });
