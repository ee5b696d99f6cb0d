/** Aborts at the worst moments: whenever one comes, each Submission ends once, and the turns do not overlap. */
import type { Conversation } from '../conversation.ts';
import { readToEnd, streamRules } from '../records.ts';

/** Milliseconds from the admission's answer to the abort; a turn of the scripted model takes some 20. */
const moments = [0, 0, 1, 2, 5, 10, 15, 20, 25, 30, 40, 50];

export async function abortRaces(in_: Conversation): Promise<void> {
  for (const ms of moments) {
    const { submissionId, streamUrl } = (await in_.admit({})).json as { submissionId: string; streamUrl: string };
    if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
    const path = `/agents/${in_.agent}/${in_.iid}/abort`;
    const { json } = await in_.call({ method: 'POST', path, json: { submissionId } });
    const { aborted, submissionIds } = json as { aborted: boolean; submissionIds: string[] };
    const read = await readToEnd(in_, streamUrl, undefined, 10_000);
    if (read.problem) in_.wrong(`gave a stream of which ${read.problem}`, 'settle what was aborted', 'TW-ABT-001');
    else streamRules(in_, read, submissionId);
    const { outcome } = (read.records.at(-1) ?? {}) as { outcome?: string };
    const named = aborted && submissionIds.includes(submissionId);
    if (named !== (outcome === 'aborted')) {
      const did = `said aborted: ${aborted} for a Submission that settled ${outcome}, ${ms} ms after its admission`;
      in_.wrong(did, 'name exactly what it ended', 'TW-ABT-005');
    }
  }
}
