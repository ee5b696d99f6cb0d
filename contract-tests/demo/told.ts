import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import type { Peer } from './wire.ts';

/** A pick that the Orchestrator took, by conversation. */
export interface Taken {
  readonly iid: string;
  readonly event: string;
}

interface ToolRecord {
  readonly type: string;
  readonly name?: string;
  readonly outcome?: string;
}

const file = fileURLToPath(new URL('../../spec/outcomes.yaml', import.meta.url));
const { outcomes } = parse(readFileSync(file, 'utf8')) as { outcomes: Record<string, { kind: 'answer' | 'error' }> };

/** What an outcome claims: an error says that the pick was not taken, an answer that it was, or that nobody knows. */
function claim(outcome: string): 'taken' | 'unknown' | 'not taken' {
  if (outcomes[outcome]?.kind === 'error') return 'not taken';
  return outcome.startsWith('unknown') ? 'unknown' : 'taken';
}

/**
 * Holds what each agent was told about its picks against what the Orchestrator took: every pick that was taken was called so,
 * or unknown, or its answer never came; none that was not taken was called taken.
 */
export async function untruths(
  harness: Peer,
  conversations: ReadonlyMap<string, string>,
  taken: readonly Taken[],
): Promise<string[]> {
  const found: string[] = [];
  for (const [iid, agent] of conversations) {
    const records = await recordsOf(harness, agent, iid);
    for (const event of new Set(records.flatMap(({ name }) => (name ? [name] : [])))) {
      const mine = records.filter(({ name }) => name === event);
      const told = mine.flatMap(({ outcome }) => (outcome ? [claim(outcome)] : []));
      const count = (what: ReturnType<typeof claim>) => told.filter((each) => each === what).length;
      const unanswered = mine.filter(({ type }) => type === 'tool.called').length - told.length;
      const really = taken.filter((pick) => pick.iid === iid && pick.event === event).length;
      if (count('taken') > really) found.push(`the agent of ${iid} was told that ${event} was taken, and it was not`);
      if (really > count('taken') + count('unknown') + unanswered) {
        found.push(`the agent of ${iid} was told that ${event} was not taken, and it was`);
      }
    }
  }
  return found;
}

/** A whole conversation's records, from its stream. */
async function recordsOf(harness: Peer, agent: string, iid: string): Promise<ToolRecord[]> {
  const records: ToolRecord[] = [];
  for (let offset = '-1'; ; ) {
    const url = `${harness.url}/agents/${encodeURIComponent(agent)}/${iid}?view=updates&offset=${offset}`;
    const answer = await fetch(url, { headers: { authorization: `Bearer ${harness.token}` } });
    if (answer.status !== 200) return records;
    records.push(...((await answer.json()) as ToolRecord[]));
    offset = answer.headers.get('stream-next-offset') ?? offset;
    if (answer.headers.get('stream-up-to-date') === 'true') return records;
  }
}
