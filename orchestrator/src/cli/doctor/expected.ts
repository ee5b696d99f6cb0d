/** Who has to be there. Beside nodes, who have a Custodian each, nobody has to be at an address that is only a default. */
import type { Finding } from './finding.ts';

/** Where a process is. */
export interface Place {
  readonly url: string;
  /** Nobody said so: it is the default. */
  readonly assumed: boolean;
}

/** What was found at a place, or that it was left out. */
export interface Looked {
  readonly findings: readonly Finding[];
  /** What is there, when it was looked at. */
  readonly url?: string;
}

/** @param findings what was found when it was asked; nobody of ours at a place that nobody named is no failure */
export function expected(
  role: 'custodian' | 'harness',
  { url, assumed }: Place,
  findings: readonly Finding[],
  hasNodes: boolean,
): Looked {
  if (!assumed || !hasNodes || !findings.some(({ absent }) => absent)) return { findings, url };
  const detail = `left out: no ${role} of ours is at ${url}, and nothing names another; set --${role}-url where there is one beside the nodes`;
  return { findings: [{ check: role, ok: true, skipped: true, detail }] };
}
