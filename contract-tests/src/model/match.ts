/** Which rule of a script answers a request. Pure. */
import { type ChatRequest, type Facts, factsOf } from './conversation.ts';
import type { Condition, Matcher, Rule, TextMatcher } from './script.ts';

/** The first rule that holds, and the facts it saw. */
export function findRule(
  rules: readonly Rule[],
  request: ChatRequest,
  attempt: number,
): { rule: Rule; facts: Facts } | undefined {
  for (const rule of rules) {
    const facts = factsOf(request, rule.when?.after);
    if (facts !== undefined && holds(rule.when ?? {}, facts, attempt)) return { rule, facts };
  }
  return undefined;
}

function holds(when: Condition, facts: Facts, attempt: number): boolean {
  return (
    inRange(when.step, facts.step) &&
    inRange(when.attempt, attempt) &&
    matches(when.lastMessage, facts.lastMessage) &&
    matches(when.messages, facts.messages) &&
    matches(when.system, facts.system) &&
    matches(when.lastToolResult, facts.lastToolResult) &&
    matches(when.toolResults, facts.toolResults) &&
    matches(when.model, facts.model) &&
    (when.tools ?? []).every((name) => facts.tools.includes(name)) &&
    calledAsOften(when.called, facts.called)
  );
}

function inRange(wanted: number | readonly [number, number] | undefined, is: number): boolean {
  if (wanted === undefined) return true;
  return typeof wanted === 'number' ? is === wanted : is >= wanted[0] && is <= wanted[1];
}

function calledAsOften(wanted: Condition['called'], called: readonly string[]): boolean {
  return Object.entries(wanted ?? {}).every(([name, often]) => {
    const times = called.filter((one) => one === name).length;
    if (typeof often === 'number') return times === often;
    return times >= (often.min ?? 0) && times <= (often.max ?? Number.POSITIVE_INFINITY);
  });
}

/** A text that is not there matches nothing, not even `notContains`. */
export function matches(wanted: Matcher | undefined, text: string | undefined): boolean {
  if (wanted === undefined) return true;
  if (text === undefined) return false;
  const all: readonly (string | TextMatcher)[] = Array.isArray(wanted) ? wanted : [wanted as string | TextMatcher];
  return all.every((one) => (typeof one === 'string' ? text.includes(one) : matchesOne(one, text)));
}

function matchesOne(wanted: TextMatcher, text: string): boolean {
  return (
    (wanted.contains === undefined || text.includes(wanted.contains)) &&
    (wanted.notContains === undefined || !text.includes(wanted.notContains)) &&
    (wanted.matches === undefined || new RegExp(wanted.matches).test(text)) &&
    (wanted.equals === undefined || text === wanted.equals)
  );
}
