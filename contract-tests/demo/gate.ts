import { createInterface } from 'node:readline/promises';

/** What a person at the gate is shown: what it accepts, and the workflow's own word about it. */
export interface OpenGate {
  readonly accepts: readonly string[];
  readonly meta?: { readonly verdict?: string } | undefined;
}
export type GateAnswer = (run: string, gate: OpenGate) => Promise<{ event: string; input: unknown }>;

/** Answers at once, as a person who follows the reviewer. */
export const byItself: GateAnswer = async (_run, { meta }) =>
  meta?.verdict === 'request_changes'
    ? { event: 'decline', input: { reason: 'the reviewer asks for changes' } }
    : { event: 'merge', input: {} };

/** Asks the person at the terminal, one gate at a time. */
export function byPerson(): GateAnswer {
  let last: Promise<unknown> = Promise.resolve();
  const askOne = async (run: string, { accepts }: OpenGate) => {
    const terminal = createInterface({ input: process.stdin, output: process.stdout });
    try {
      for (;;) {
        const answer = (await terminal.question(`\n  ${run} waits for you: ${accepts.join(' or ')}? `)).trim();
        if (!accepts.includes(answer)) continue;
        const input = answer === 'merge' ? {} : { reason: await terminal.question('  why? ') };
        return { event: answer, input };
      }
    } finally {
      terminal.close();
    }
  };
  return (run, gate) => {
    const next = last.then(() => askOne(run, gate));
    last = next.catch(() => undefined);
    return next;
  };
}
