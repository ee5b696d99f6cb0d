import fc from 'fast-check';
import { expect, it } from 'vitest';
import { emptyConversation, isPublic, type PublicRecord } from './state.ts';
import { type ConversationEvent, step } from './step.ts';

/** What may happen to a conversation, in any order; numbers become ids. */
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
type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never;

const PROMPT = { agentName: 'n', definition: { model: 'm/x', instructions: '' }, message: '', notices: [] };

/** A conversation to which things happen, with what a scheduler would know of it. */
class Player {
  state = emptyConversation('i', 'n', 'inc');
  readonly stream: PublicRecord[] = [];
  admitted = 0;
  #at = 0;
  #ready: string[] = [];

  play(what: Happening): void {
    this.#at += 1_000;
    if (what.kind === 'admit') this.#admit(what.turn);
    else if (what.kind === 'start') this.#start(this.#ready.shift());
    // A late end names a Submission that is long settled, or not begun.
    else if (what.kind === 'end') this.#end(what.late > 0 ? `s${what.late}` : this.state.live[0]?.submissionId);
    else if (what.kind === 'abort') this.#abort(what.submission, what.turn);
    else this.#restart();
  }

  /** Brings what is left to its end: nothing may be stuck. */
  finish(): void {
    for (let guard = 0; this.state.live.length > 0 && guard < 200; guard++) {
      const head = this.state.live[0];
      if (head?.state === 'queued') this.#start(head.submissionId);
      this.#end(head?.submissionId);
    }
  }

  #admit(turn: number): void {
    const submissionId = `s${this.admitted++}`;
    this.#apply({ type: 'admit', at: this.#at, submissionId, turnId: `t${turn}`, digest: '', ...PROMPT });
  }

  #start(submissionId: string | undefined): void {
    if (submissionId !== undefined) this.#apply({ type: 'start', at: this.#at, submissionId });
  }

  #end(submissionId = 's0'): void {
    this.#apply({ type: 'end', at: this.#at, submissionId, records: [], outcome: 'completed' });
  }

  #abort(submission: number | null, turn: number | null): void {
    const submissionId = submission === null ? {} : { submissionId: `s${submission}` };
    const turnId = turn === null ? {} : { turnId: `t${turn}` };
    this.#apply({ type: 'abort', at: this.#at, ...submissionId, ...turnId });
  }

  #restart(): void {
    this.#ready = [];
    this.#apply({ type: 'restart', at: this.#at });
  }

  #apply(event: ConversationEvent): void {
    const next = step(this.state, event);
    this.state = next.state;
    this.stream.push(...next.records.filter(isPublic));
    for (const effect of next.effects) if (effect.kind === 'ready') this.#ready.push(effect.submissionId);
  }
}

it('settles each Submission exactly once, runs one at a time and in the order of admission, whatever happens', () => {
  fc.assert(
    fc.property(fc.array(happening, { maxLength: 60 }), (happenings) => {
      const player = new Player();
      for (const what of happenings) player.play(what);
      player.finish();
      check(player.stream, player.admitted);
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
