/** Clients that ask one thing after another for a while, or a number of times. */
import type { Answer, Wire } from './wire.ts';

export interface Loaded {
  perSecond: number;
  /** Of each request, in milliseconds. */
  times: number[];
}

/** Each wire sends its next request as soon as the last one was answered. @throws Error for an answer that is no 2xx */
export async function forSeconds(
  seconds: number,
  wires: readonly Wire[],
  ask: (wire: Wire, of: number) => Promise<Answer>,
): Promise<Loaded> {
  const times: number[] = [];
  const startedAt = performance.now();
  const until = startedAt + seconds * 1_000;
  await Promise.all(
    wires.map(async (wire, of) => {
      while (performance.now() < until) times.push(good(await ask(wire, of)).ms);
    }),
  );
  return { perSecond: (times.length / (performance.now() - startedAt)) * 1_000, times };
}

export function good(answer: Answer): Answer {
  if (answer.status >= 200 && answer.status < 300) return answer;
  throw new Error(`answered ${answer.status}: ${answer.body.slice(0, 200)}`);
}
