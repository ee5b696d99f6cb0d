import fc from 'fast-check';
import { expect, it } from 'vitest';
import { emptyConversation, isPublic, type PublicRecord } from './state.ts';
import { type ConversationEvent, step } from './step.ts';

/** What may happen to a conversation, in any order, by numbers that are made into ids below. */
const happening = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('admit' as const), turn: fc.nat(6) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('start' as const) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('end' as const), late: fc.nat(3) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('abort' as const),
      submission: fc.option(fc.nat(8)),
      turn: fc.option(fc.nat(6)),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
);

it('settles each Submission exactly once, runs one at a time and in the order of admission, whatever happens', () => {
  fc.assert(
    fc.property(fc.array(happening, { maxLength: 60 }), (happenings) => {
      let state = emptyConversation('i', 'n', 'inc');
      let at = 0;
      let count = 0;
      const stream: PublicRecord[] = [];
      const ready: string[] = [];
      const apply = (event: ConversationEvent) => {
        const next = step(state, event);
        state = next.state;
        stream.push(...next.records.filter(isPublic));
        for (const effect of next.effects) if (effect.kind === 'ready') ready.push(effect.submissionId);
      };
      const aborts: string[] = [];
      for (const what of happenings) {
        at += 1_000;
        if (what.kind === 'admit') {
          const prompt = { agentName: 'n', definition: { model: 'm/x', instructions: '' }, message: '', notices: [] };
          apply({ type: 'admit', at, submissionId: `s${count++}`, turnId: `t${what.turn}`, digest: '', ...prompt });
        } else if (what.kind === 'start') {
          const submissionId = ready.shift();
          if (submissionId !== undefined) apply({ type: 'start', at, submissionId });
        } else if (what.kind === 'end') {
          // A late one names a Submission that is long settled, or not begun.
          const submissionId = what.late > 0 ? `s${what.late}` : (state.live[0]?.submissionId ?? 's0');
          apply({ type: 'end', at, submissionId, records: [], outcome: 'completed' });
        } else if (what.kind === 'abort') {
          const submissionId = what.submission === null ? {} : { submissionId: `s${what.submission}` };
          const turnId = what.turn === null ? {} : { turnId: `t${what.turn}` };
          apply({ type: 'abort', at, ...submissionId, ...turnId });
          aborts.push(`${at}`);
        } else {
          ready.length = 0;
          apply({ type: 'restart', at });
        }
      }
      // What is left is brought to its end: nothing may be stuck.
      for (let guard = 0; state.live.length > 0 && guard < 200; guard++) {
        const [head] = state.live;
        if (!head) break;
        if (head.state === 'queued') apply({ type: 'start', at, submissionId: head.submissionId });
        apply({ type: 'end', at, submissionId: head.submissionId, records: [], outcome: 'completed' });
      }
      check(stream, count);
    }),
    { numRuns: 500 },
  );
});

function check(stream: readonly PublicRecord[], count: number): void {
  const of = (type: PublicRecord['type']) =>
    stream.filter((record) => record.type === type).map(({ submissionId }) => submissionId);
  const settled = of('submission.settled');
  expect(settled.length).toBe(count);
  expect(new Set(settled).size).toBe(count);
  const started = of('submission.started').map((id) => Number(id.slice(1)));
  expect(started).toEqual([...started].sort((a, b) => a - b));
  let running: string | undefined;
  for (const record of stream) {
    if (record.type === 'submission.started') {
      expect(running).toBeUndefined();
      running = record.submissionId;
    }
    if (record.type === 'submission.settled' && record.submissionId === running) running = undefined;
  }
  for (const id of settled) {
    expect(stream.findLast(({ submissionId }) => submissionId === id)?.type).toBe('submission.settled');
  }
}
