import { classify, protocol } from '@turnwire/sdk';

type Evidence = keyof typeof protocol.evidence;

/** What is known of one attempt that got no answer. */
export interface Attempt {
  readonly evidence: Evidence;
  /** False: it is proved that no byte of the request was written. */
  readonly written: boolean;
  /** Whose doing it was, where it was not the upstream's. */
  readonly caller?: 'gone' | 'malformed';
}

const proves = (evidence: Evidence): boolean => classify({ kind: evidence }).certainty === 'never_delivered';

/** What one attempt adds; nothing where all that is known is that nothing was written. */
function flagOf({ evidence, written, caller }: Attempt): string | undefined {
  const { flags, abortedFlag, malformedFlag } = protocol.custodian;
  if (caller === 'gone') return abortedFlag;
  if (caller === 'malformed') return malformedFlag;
  if (proves(evidence)) return flags[written ? protocol.unexplained : evidence];
  return written ? flags[evidence] : undefined;
}

/**
 * What all attempts of a request say together (TW-CUS-013): a flag for each in turn, so that one that may have arrived is
 * never hidden behind a later one that did not; and that the retries ran out only where none had written a byte
 * (TW-CUS-014).
 */
export function flagsOf(attempts: readonly Attempt[]): string[] {
  const said = attempts.map(flagOf).filter((flag) => flag !== undefined);
  const unwritten = attempts.every(({ written, caller }) => !written && caller === undefined);
  const exhausted = unwritten && (attempts.length > 1 || said.length === 0);
  return [...new Set([...said, ...(exhausted ? [protocol.custodian.exhaustedFlag] : [])])];
}
