/** From what was seen to what a person reads. */
import type { Mismatch } from '../client/seen.ts';
import { requirements } from '../client/spec.ts';
import type { Check, CheckResult, Report } from '../report/check.ts';
import type { WireEvent } from '../report/wire.ts';

/** What a check came to. */
export interface CaseOutcome {
  readonly mismatches: readonly Mismatch[];
  /** The wire, line by line. */
  readonly trace?: readonly string[];
  readonly wire?: readonly WireEvent[];
  /** Credentials that it was given. */
  readonly secrets?: readonly string[];
}

/** What the subject did, what it should do, and where the spec says so. */
export function sentence(mismatches: readonly Mismatch[], check: Check): string {
  const [first] = mismatches;
  const more = mismatches.length > 1 ? ` (and ${mismatches.length - 1} more)` : '';
  const id = first?.requirement ?? check.requirements[0] ?? '';
  const where = `${id}, spec/protocol.md: "${requirements.get(id) ?? ''}"`;
  return `the subject ${first?.did}; it should ${first?.should}${more}. ${check.says} ${where}`;
}

type Judged = Pick<CheckResult, 'verdict' | 'sentence' | 'did' | 'should' | 'requirement' | 'trace' | 'wire'>;

/** The verdict of an outcome. A kit that broke the spec itself says nothing of the subject. */
export function judged({ mismatches: seen, trace, wire, secrets = [] }: CaseOutcome, check: Check): Judged {
  const veil = veiled(secrets);
  const mismatches = seen.map((each) => ({ ...each, did: veil(each.did), should: veil(each.should) }));
  const events = wire?.map((event) => ({ ...event, ...(event.body !== undefined && { body: veil(event.body) }) }));
  // Of what went well the order of the messages is enough.
  const drawn = wire?.map(({ body: _, ...event }) => event);
  const subjects = mismatches.filter(({ whose }) => whose !== 'kit');
  const [first, ...others] = subjects;
  const lines = trace && [...trace.map(veil), ...others.map(also)];
  const transcript = { ...(lines && { trace: lines }), ...(events && { wire: events }) };
  // What a case sends wrong on purpose is wrong of the kit only where the case does not mind that it was served.
  const own = mismatches.find(({ whose, served }) => whose === 'kit' && !(served && first));
  if (own) return { verdict: 'kit_error', sentence: kitSentence(own), ...transcript };
  if (first === undefined) return { verdict: 'passed', ...(drawn && { wire: drawn }) };
  const { did, should, requirement = check.requirements[0] ?? '' } = first;
  return { verdict: 'failed', sentence: sentence(subjects, check), did, should, requirement, ...transcript };
}

/** Characters that are left of a credential: enough to tell two apart. */
const unveiled = 4;

/** A report is kept where many read it: no credential of the subject stands in it, whoever told it. */
const veiled =
  (secrets: readonly string[]) =>
  (text: string): string =>
    secrets.reduce((all, secret) => all.replaceAll(secret, `${secret.slice(0, unveiled)}…`), text);

/** The first is in the sentence. */
const also = ({ did, should, requirement }: Mismatch): string =>
  `also: it ${did}; it should ${should}${requirement === undefined ? '' : ` (${requirement})`}`;

const kitSentence = ({ did, should, requirement }: Mismatch): string =>
  `the kit itself ${did}; it should ${should}${requirement === undefined ? '' : ` (${requirement})`}. This is a defect of the kit and says nothing of the subject: please report it.`;

/** The kit came to its own end. */
export function brokeDown(error: unknown): Judged {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const [line = ''] = stack.split('\n');
  return {
    verdict: 'kit_error',
    sentence: kitSentence({ did: `broke down: ${line}`, should: 'go on' }),
    trace: stack.split('\n'),
  };
}

/** What was declared to fail: which did, and which passed all the same. */
export function declaredFailures(checks: readonly CheckResult[], declared: readonly string[]): Report['knownFailing'] {
  const of = (verdict: CheckResult['verdict']) =>
    checks.filter((each) => declared.includes(each.id) && each.verdict === verdict).map(({ id }) => id);
  return { failed: of('failed'), passed: of('passed') };
}
