import type { Facts } from './ledger.ts';

/** The table at the end, and whether everything held. */
export function verdict(facts: Facts, exits: Readonly<Record<string, number | string>>): { text: string; ok: boolean } {
  const unclean = Object.entries(exits).filter(([, code]) => code !== 0);
  const wrong = [
    ...facts.findings,
    // Nothing in the story is a reason to give a turn up.
    ...facts.faults,
    ...facts.seats
      .filter((seat) => !seat.within)
      .map((seat) => `seat ${seat.seat} of the ${seat.role} spent more than its budget`),
    ...unclean.map(([role, code]) => `the ${role} ended with ${code} and not with 0`),
  ];
  const rows: [string, string | number][] = [
    ['runs that ended', `${facts.runsEnded} of ${facts.runs}`],
    ['turns', facts.turns],
    ['admissions sent', facts.admissionsSent],
    ['admissions taken', facts.admissionsTaken],
    ['lost', facts.lost],
    ['run twice', facts.runTwice],
    ['picks taken', facts.picksTaken],
    ['transitions', facts.transitions],
    ['told untrue', facts.untrue],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  const lines = rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`);
  const seats = facts.seats.map(
    ({ role, seat, attempts, ms, budget, within }) =>
      `  ${role} ${seat}: ${attempts} attempts, ${Math.round(ms)} ms (budget ${budget.attempts} attempts or ${budget.ms} ms)${within ? '' : '  OVER'}`,
  );
  const text = [
    ...lines,
    '',
    `routability, ${seats.length} seats that needed more than one attempt:`,
    ...seats,
    '',
    ...(wrong.length === 0
      ? ['Nothing was lost, nothing ran twice, every budget held.']
      : wrong.map((line) => `NOT HELD: ${line}`)),
  ];
  return { text: text.join('\n'), ok: wrong.length === 0 && facts.runsEnded === facts.runs };
}
