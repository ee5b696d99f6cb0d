import { createInterface } from 'node:readline/promises';

export type GateAnswer = (run: string, accepts: readonly string[]) => Promise<{ event: string; input: unknown }>;

/** Answers at once, as a person in a hurry. */
export const byItself: GateAnswer = async (_run, accepts) => ({
  event: accepts.includes('merge') ? 'merge' : String(accepts[0]),
  input: {},
});

/** Asks the person at the terminal, one gate at a time. */
export function byPerson(): GateAnswer {
  let last: Promise<unknown> = Promise.resolve();
  const askOne = async (run: string, accepts: readonly string[]) => {
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
  return (run, accepts) => {
    const next = last.then(() => askOne(run, accepts));
    last = next.catch(() => undefined);
    return next;
  };
}
