import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { parse } from 'yaml';
import type { Cast } from './cast.ts';
import type { Timeline } from './timeline.ts';
import { untruths } from './told.ts';
import { ask, type Peer } from './wire.ts';

export interface Seat {
  readonly role: string;
  readonly seat: string;
  readonly attempts: number;
  readonly ms: number;
  readonly budget: { readonly attempts: number; readonly ms: number };
  readonly within: boolean;
}

/** What the databases and the peers' own records say happened. */
export interface Facts {
  readonly runs: number;
  readonly runsEnded: number;
  readonly turns: number;
  readonly admissionsSent: number;
  readonly admissionsTaken: number;
  readonly lost: number;
  readonly runTwice: number;
  readonly picksTaken: number;
  readonly transitions: number;
  /** Turns that ended in a named fault. */
  readonly faults: readonly string[];
  /** Picks of which an agent was told something untrue. */
  readonly untrue: number;
  readonly seats: readonly Seat[];
  /** Each way in which something was lost, doubled or left standing; empty when nothing was. */
  readonly findings: readonly string[];
}

interface Intent {
  readonly key: string;
  readonly turn_id: string;
  readonly iid: string;
  readonly agent: string;
  readonly sent_at: number | null;
  readonly admission: string | null;
  readonly settlement: string | null;
  readonly fault: string | null;
}
interface Delivery {
  readonly iid: string;
  readonly event: string;
  readonly delivery_id: string;
  readonly transitions: number;
  readonly receipt: string | null;
}
interface Submission {
  readonly submissionId: string;
  readonly turnId?: string;
  readonly state: string;
}

/** The Settlement of a turn that its own pick ended is read a moment after the run went on; one that stays away is a finding. */
const SETTLE_MS = 15_000;

/** Holds the Orchestrator's ledger against what the Harness says it took: both must still serve. */
export async function audit(
  cast: Cast,
  runIds: readonly string[],
  routability: Timeline['routability'],
): Promise<Facts> {
  const until = Date.now() + SETTLE_MS;
  for (;;) {
    const facts = await look(cast, runIds, routability);
    if (facts.findings.length === 0 || Date.now() > until) return facts;
    await sleep(100);
  }
}

async function look(cast: Cast, runIds: readonly string[], routability: Timeline['routability']): Promise<Facts> {
  const database = new Database(cast.database, { readonly: true });
  const all = <T>(sql: string) => database.prepare(sql).all() as T[];
  const runs = all<{ run_id: string; status: string }>('SELECT run_id, status FROM runs');
  const turns = all<{ turn_id: string }>('SELECT turn_id FROM turns');
  const intents = all<Intent>('SELECT * FROM intents');
  const deliveries = all<Delivery>('SELECT iid, event, delivery_id, transitions, receipt FROM deliveries');
  database.close();
  const peer = { url: cast.url('harness'), token: cast.harnessToken };
  const conversations = new Map(intents.map(({ iid, agent }) => [iid, agent]));
  const submissions = await submissionsOf(peer, conversations);
  const untrue = await untruths(peer, conversations, deliveries);
  const { lost, runTwice, findings } = compare(intents, submissions);
  const sent = intents.filter((intent) => intent.sent_at !== null);
  const resent = routability
    .filter(({ seat }) => seat === 'admission')
    .reduce((sum, { attempts }) => sum + attempts - 1, 0);
  return {
    runs: runIds.length,
    runsEnded: runs.filter(({ run_id, status }) => runIds.includes(run_id) && status === 'done').length,
    turns: turns.length,
    admissionsSent: sent.length + resent,
    admissionsTaken: submissions.length,
    lost,
    runTwice,
    picksTaken: deliveries.length,
    transitions: deliveries.reduce((sum, { transitions }) => sum + transitions, 0),
    faults: intents.flatMap(({ turn_id, fault }) => (fault === null ? [] : [`turn ${turn_id}: ${fault}`])),
    untrue: untrue.length,
    seats: routability.map(withinBudget),
    findings: [...findings, ...unanswered(deliveries), ...untrue],
  };
}

/** Every Submission that the Harness ever took for these conversations, from its own history. */
async function submissionsOf(peer: Peer, conversations: ReadonlyMap<string, string>): Promise<Submission[]> {
  const lists = await Promise.all(
    [...conversations].map(async ([iid, agent]) => {
      const path = `/agents/${encodeURIComponent(agent)}/${iid}?view=history`;
      const { status, body } = await ask<{ submissions: Submission[] }>(peer, 'GET', path);
      return status === 200 ? body.submissions : [];
    }),
  );
  return lists.flat();
}

/** Each intent ends in exactly one Admission or named fault, each Admission in one Submission that settled; no Submission is anybody else's. */
function compare(
  intents: readonly Intent[],
  submissions: readonly Submission[],
): { lost: number; runTwice: number; findings: string[] } {
  const findings: string[] = [];
  let lost = 0;
  for (const { key, sent_at, admission, settlement, fault } of intents) {
    const name = `intent ${key}`;
    if (admission === null) {
      if (fault !== null || sent_at === null) continue;
      lost++;
      findings.push(`${name} was sent and has neither an admission nor a fault`);
      continue;
    }
    const { submissionId } = JSON.parse(admission) as { submissionId: string };
    const taken = submissions.filter((submission) => submission.submissionId === submissionId);
    if (taken.length === 1 && taken[0]?.state === 'settled' && (settlement !== null || fault !== null)) continue;
    lost++;
    findings.push(
      `${name} was admitted as ${submissionId}, which the harness shows ${taken.length} times, ${taken[0]?.state ?? 'gone'}`,
    );
  }
  const twice = twiceRun(intents, submissions);
  return { lost, runTwice: twice.length, findings: [...findings, ...twice] };
}

/** A turn's Submissions beyond the intents that were sent for it: a copy that was taken beside the one it was a copy of. */
function twiceRun(intents: readonly Intent[], submissions: readonly Submission[]): string[] {
  const left = new Map<string, number>();
  for (const { turn_id, sent_at } of intents) if (sent_at !== null) left.set(turn_id, (left.get(turn_id) ?? 0) + 1);
  return submissions.flatMap(({ submissionId, turnId = '' }) => {
    const rest = left.get(turnId) ?? 0;
    left.set(turnId, rest - 1);
    return rest > 0
      ? []
      : [`submission ${submissionId} of turn ${turnId} is one more than was sent: the turn ran twice`];
  });
}

const unanswered = (deliveries: readonly Delivery[]): string[] =>
  deliveries.flatMap(({ delivery_id, transitions, receipt }) => [
    ...(transitions > 1 ? [`delivery ${delivery_id} made ${transitions} transitions`] : []),
    ...(receipt === null ? [`delivery ${delivery_id} was never answered`] : []),
  ]);

const root = parse(
  readFileSync(fileURLToPath(new URL('../../spec/openapi/protocol-root.yaml', import.meta.url)), 'utf8'),
) as {
  'x-turnwire': { constants: { budgetMs: number; budgetAttempts: number } };
};

function withinBudget(line: Timeline['routability'][number]): Seat {
  const { budgetMs, budgetAttempts } = root['x-turnwire'].constants;
  const budget = { attempts: budgetAttempts, ms: budgetMs };
  return { ...line, budget, within: line.attempts <= budget.attempts && line.ms <= budget.ms };
}
