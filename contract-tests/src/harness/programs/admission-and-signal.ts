/** Admissions around the moment of the SIGTERM: each is refused, or its Submission is finished. */
import type { Conversation } from '../conversation.ts';
import { readToEnd } from '../records.ts';
import { type Answer, NoAnswer } from '../wire.ts';

const before = 10;
const after = 10;

export async function admissionAndSignal(in_: Conversation): Promise<void> {
  const { process } = in_.host;
  if (!process) return;
  const asked: Promise<Answer | NoAnswer>[] = [];
  const ask = () => asked.push(in_.admit({ iid: `${in_.iid}-${asked.length + 1}` }).catch(noAnswer));
  for (let nth = 0; nth < before; nth++) ask();
  await new Promise((resolve) => setTimeout(resolve, 3));
  process.signal('SIGTERM');
  for (let nth = 0; nth < after; nth++) ask();
  const answers = await Promise.all(asked);
  const admitted: Answer[] = [];
  for (const answer of answers) {
    if (answer instanceof NoAnswer) in_.wrong(answer.message, 'answer 202 or 503', 'TW-DRN-001');
    else if (answer.status === 202) admitted.push(answer);
    else if (answer.status !== 503) in_.wrong(`answered ${answer.status}`, 'answer 202 or 503', 'TW-DRN-001');
    else await isUnknown(in_, answer);
  }
  for (const { json } of admitted) {
    const read = await readToEnd(in_, (json as { streamUrl: string }).streamUrl, undefined, 10_000);
    const last = read.records.at(-1) as { outcome?: string } | undefined;
    if (last?.outcome === undefined) in_.wrong('lost a Submission that it had admitted', 'finish it', 'TW-DRN-002');
  }
}

async function isUnknown(in_: Conversation, answer: Answer): Promise<void> {
  const { status } = await in_.call({ path: `${answer.path}?view=history` });
  if (status !== 404) in_.wrong('refused an admission and kept it', 'leave nothing of it', 'TW-ADM-018');
}

function noAnswer(error: unknown): NoAnswer {
  if (error instanceof NoAnswer) return error;
  throw error;
}
