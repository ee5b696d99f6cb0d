/**
 * Native error → evidence, by the generated rules (TW-CER-003 … TW-CER-009, TW-CER-016, TW-CER-017).
 * Pure and without a Node import: it runs in a browser or a worker too. Never throws, whatever it is given.
 */
import { type EvidenceName, protocol } from './gen/protocol.ts';
import type { EvidenceRow, NativeRule } from './table.ts';

/** What one level of an error says. `undefined`: nothing. */
interface Level {
  readonly code: string | undefined;
  /** `null`: it could not be read, which is not the same as naming none: doubt is never proof. */
  readonly syscall: string | undefined | null;
  readonly name: string | undefined;
}

const rows: Readonly<Record<string, EvidenceRow>> = protocol.evidence;
const unreadable = Symbol('unreadable');

/**
 * The evidence that an error of Node (`fetch`, undici, `node:http`, `node:net`, `node:tls`) is.
 *
 * @param error Anything that was thrown; wrappers, aggregates, cycles, proxies and non-errors are tolerated.
 * @returns A name of `protocol.evidence`; `protocol.unexplained` when nothing in the error is evidence.
 */
export function nodeEvidence(error: unknown): EvidenceName {
  return walk(error, 1, new Set());
}

/** From the outside in, at most `causeDepth` levels; the first that is evidence decides (TW-CER-016). */
function walk(error: unknown, firstLevel: number, seen: Set<object>): EvidenceName {
  let current = error;
  for (let level = firstLevel; level <= protocol.causeDepth; level++) {
    if (!isObject(current) || seen.has(current)) break;
    seen.add(current);
    const members = membersOf(current);
    if (members !== undefined) return ofAggregate(members, level + 1, seen);
    const rule = ruleFor(current);
    if (rule !== undefined) return rule.evidence as EvidenceName;
    current = read(current, 'cause');
  }
  return protocol.unexplained;
}

/** Proof only if it has members and every one is proof; it ends the walk, and its own code says nothing (TW-CER-017). */
function ofAggregate(members: readonly unknown[], level: number, seen: Set<object>): EvidenceName {
  let proof: EvidenceName | undefined;
  for (const member of members) {
    // Each member sees its own path only: one object that stands in two members is no cycle.
    const evidence = walk(member, level, new Set(seen));
    if (rows[evidence]?.certainty !== 'never_delivered') return protocol.unexplained;
    // One member that a re-send can change is enough for a re-send to make sense.
    if (proof === undefined || rows[evidence]?.permanent !== true) proof = evidence;
  }
  return proof ?? protocol.unexplained;
}

function ruleFor(error: object): NativeRule | undefined {
  const syscall = read(error, 'syscall');
  const level: Level = {
    code: text(read(error, 'code')),
    syscall: syscall === unreadable ? null : text(syscall),
    name: text(read(error, 'name')),
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

/** A member list makes an aggregate, and so does the name. Members that cannot be read prove nothing: as if there were none. */
function membersOf(error: object): readonly unknown[] | undefined {
  const members = read(error, 'errors');
  const list = members === unreadable ? [] : listOf(members);
  return list ?? (read(error, 'name') === 'AggregateError' ? [] : undefined);
}

function listOf(members: unknown): readonly unknown[] | undefined {
  try {
    return Array.isArray(members) ? Array.from(members as unknown[]) : undefined;
  } catch {
    return [];
  }
}

function read(error: object, member: string): unknown {
  try {
    return (error as Record<string, unknown>)[member];
  } catch {
    return unreadable;
  }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
