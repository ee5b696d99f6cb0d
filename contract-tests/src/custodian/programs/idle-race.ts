/** A pooled connection is closed at the very moment in which the next request comes: the race of every keep-alive. */
import { proves } from '../judge.ts';
import type { Program } from '../programs.ts';
import type { Scene } from '../scene.ts';

const rounds = 60;

export const idleRace: Program = async (in_) => {
  for (let round = 0; round < rounds && in_.mismatches.length === 0; round += 1) await race(in_, round);
};

async function race(in_: Scene, round: number): Promise<void> {
  const { affair } = in_;
  // Answered without a word of the end that follows.
  affair.plan([{ status: 200, end: round % 2 === 0 ? 'fin' : 'rst' }]);
  await in_.exchange({ route: 'surface' });
  await new Promise((resolve) => setTimeout(resolve, round % 6));
  const before = affair.requests.length;
  const { answers } = await in_.exchange({ route: 'pick' });
  const [answer] = answers;
  const copies = affair.requests.length - before;
  if (copies > 1) in_.wrong(`sent ${copies} copies of a pick`, 'send one', 'TW-CUS-011');
  if (answer?.status === 200 && copies !== 1) in_.wrong('answered for a pick that it did not send', 'send it');
  if (answer && proves(answer) && copies > 0)
    in_.wrong('said of a pick that arrived that it was not sent', 'not say so', 'TW-CUS-014');
  if (answer?.status !== 200 && answer?.status !== 502)
    in_.wrong(`answered ${answer?.status ?? 'nothing'}`, 'answer 200, or 502 with its mark');
}
