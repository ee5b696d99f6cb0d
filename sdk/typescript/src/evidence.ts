/**
 * Native error → evidence, by the generated rules (TW-CER-003 … TW-CER-009, TW-CER-016, TW-CER-017).
 * Pure and without a Node import: it runs in a browser or a worker too. Never throws, whatever it is given.
 */
import { isObject, membersOf, readMember, textMember, unreadable } from './error-shape.ts';
import { type EvidenceName, protocol } from './gen/protocol.ts';
import { errorMembers } from './limits.ts';
import type { EvidenceRow, NativeRule } from './table.ts';

/** What one level of an error says. `undefined`: nothing. */
interface Level {
  readonly code: string | undefined;
  /** `null`: it could not be read, which is not the same as naming none: doubt is never proof. */
  readonly syscall: string | undefined | null;
  readonly name: string | undefined;
}

const rows: Readonly<Record<string, EvidenceRow>> = protocol.evidence;

/**
 * The evidence that an error of Node (`fetch`, undici, `node:http`, `node:net`, `node:tls`) is.
 *
 * @param error Anything that was thrown; wrappers, aggregates, cycles, proxies and non-errors are tolerated.
 * @returns A name of `protocol.evidence`; `protocol.unexplained` when nothing in the error is evidence.
 */
export function nodeEvidence(error: unknown): EvidenceName {
  return walk(error, 1, new Set(), { members: errorMembers });
}

/** How much of a graph of errors may still be walked. */
interface Budget {
  members: number;
}

/** From the outside in, at most `causeDepth` levels; the first that is evidence decides (TW-CER-016). */
function walk(error: unknown, firstLevel: number, seen: Set<object>, budget: Budget): EvidenceName {
  let current = error;
  for (let level = firstLevel; level <= protocol.causeDepth; level++) {
    if (!isObject(current) || seen.has(current)) break;
    seen.add(current);
    const members = membersOf(current);
    if (members !== undefined) return ofAggregate(members, level + 1, seen, budget);
    const rule = ruleFor(current);
    if (rule !== undefined) return rule.evidence as EvidenceName;
    current = readMember(current, 'cause');
  }
  return protocol.unexplained;
}

/** Proof only if it has members and every one is proof; it ends the walk, and its own code says nothing (TW-CER-017). */
function ofAggregate(members: readonly unknown[], level: number, seen: Set<object>, budget: Budget): EvidenceName {
  let proof: EvidenceName | undefined;
  for (const member of members) {
    if (budget.members-- === 0) return protocol.unexplained;
    // Each member sees its own path only: one object that stands in two members is no cycle.
    const evidence = walk(member, level, new Set(seen), budget);
    if (rows[evidence]?.certainty !== 'never_delivered') return protocol.unexplained;
    // One member that a re-send can change is enough for a re-send to make sense.
    if (proof === undefined || rows[evidence]?.permanent !== true) proof = evidence;
  }
  return proof ?? protocol.unexplained;
}

function ruleFor(error: object): NativeRule | undefined {
  const level: Level = {
    code: textMember(error, 'code'),
    syscall: readMember(error, 'syscall') === unreadable ? null : textMember(error, 'syscall'),
    name: textMember(error, 'name'),
  };
  return protocol.native.node.find((rule) => matches(rule, level));
}

function matches(rule: NativeRule, level: Level): boolean {
  if (rule.code !== undefined && !rule.code.some((pattern) => codeMatches(pattern, level.code))) return false;
  if (rule.name !== undefined && !rule.name.some((name) => name === level.name)) return false;
  if (rule.syscall === undefined) return true;
  if (level.syscall === null) return false;
  return rule.syscall.length === 0 ? level.syscall === undefined : rule.syscall.some((call) => call === level.syscall);
}

/** `*` stands for any run of characters; the whole code is matched, in its own case. */
function codeMatches(pattern: string, code: string | undefined): boolean {
  if (code === undefined) return false;
  const parts = pattern.split('*');
  const first = parts[0] ?? '';
  const last = parts.at(-1) ?? '';
  if (parts.length === 1) return code === pattern;
  if (code.length < first.length + last.length || !code.startsWith(first) || !code.endsWith(last)) return false;
  let rest = code.slice(first.length, code.length - last.length);
  for (const part of parts.slice(1, -1)) {
    const at = rest.indexOf(part);
    if (at < 0) return false;
    rest = rest.slice(at + part.length);
  }
  return true;
}
