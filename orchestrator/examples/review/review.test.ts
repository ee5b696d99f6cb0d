import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { machines, type Workflow, workflowOf } from '../../src/machine/index.ts';
import { machine } from '../review.ts';

const clean = readFileSync(new URL('../diffs/backoff-jitter.diff', import.meta.url), 'utf8');
const conflicted = readFileSync(new URL('../diffs/order-discounts.diff', import.meta.url), 'utf8');
const workflow = workflowOf('review', 'review.ts', machine as never) as Workflow;
const TURN = '0.review.reviewing';

async function checked(diff: string) {
  const begun = machines.begin(workflow, { title: 'T', diff });
  const checking = machines.advance(workflow, begun.snapshot, { type: 'run_checks', input: {} });
  const [start] = checking.actions;
  if (start?.kind !== 'start') throw new Error('the checks did not start');
  const running = machines.runActor(workflow, start, {
    signal: new AbortController().signal,
    key: 'k',
    onEvent: () => {},
  });
  return {
    begun,
    checking,
    done: machines.advance(workflow, checking.snapshot, machines.doneEvent(start.id, await running.result)),
  };
}

describe('the review workflow', () => {
  it('is served as it is', () => {
    expect(workflow).not.toHaveProperty('findings');
    expect(machines.menu(workflow, 'reviewer').map(({ name }) => name)).toEqual([
      'approve',
      'request_changes',
      'run_checks',
    ]);
    expect(workflow.agents.reviewer).toMatchObject({ rerunnable: true });
  });

  it.each([
    ['a text', 'hello'],
    ['nothing', ''],
    ['a hunk without a file', '@@ -1 +1 @@\n-a\n+b\n'],
    ['headers without a hunk', '--- a/x\n+++ b/x\n'],
  ])('takes no input whose diff is %s', (_, diff) => {
    expect(machines.checkRunInput(workflow, { title: 'T', diff })).toMatchObject({
      ok: false,
      problems: [{ path: '/diff', message: expect.stringContaining('not a unified diff') }],
    });
  });

  it('takes the diffs that are shipped', () => {
    for (const diff of [clean, conflicted])
      expect(machines.checkRunInput(workflow, { title: 'T', diff })).toMatchObject({ ok: true });
  });

  it('keeps a pick of the checks outstanding until they are done, and answers it with what they found', async () => {
    const { begun, checking, done } = await checked(conflicted);
    expect(machines.atRest(workflow, begun.snapshot, TURN)).toBe(true);
    expect(checking.moved).toBe(true);
    expect(machines.atRest(workflow, checking.snapshot, TURN)).toBe(false);
    expect(machines.atRest(workflow, done.snapshot, TURN)).toBe(true);
    expect(machines.answerOf(workflow, 'run_checks', done.snapshot, { type: 'run_checks', input: {} })).toMatchObject({
      answer: {
        passed: false,
        files: ['docs/orders.md', 'src/orders.ts'],
        findings: [{ check: 'conflict_markers', file: 'src/orders.ts', line: 19 }, { line: 21 }, { line: 23 }],
      },
    });
    // Once is enough: the list says so, and a second pick moves nothing.
    expect(machines.allowedPicks(workflow, done.snapshot, TURN)).toEqual(['approve', 'request_changes']);
    expect(machines.advance(workflow, done.snapshot, { type: 'run_checks', input: {} }).moved).toBe(false);
  });

  it('finds nothing in the clean diff, and leads over the gate to a merge', async () => {
    const { done } = await checked(clean);
    const gate = machines.advance(workflow, done.snapshot, { type: 'approve', input: { summary: 'fine' } });
    expect(machines.invocations(workflow, gate.snapshot)).toMatchObject([
      {
        actor: 'gate',
        gate: 'merge_decision',
        meta: { title: 'T', verdict: 'approve', comments: [], checksPassed: true },
      },
    ]);
    const merged = machines.advance(workflow, gate.snapshot, { type: 'merge', input: {} });
    expect(merged).toMatchObject({
      status: 'done',
      value: 'merged',
      output: { verdict: 'approve', decision: 'merge' },
    });
  });

  it('carries the comments to a person who declines', () => {
    const comments = [{ file: 'src/orders.ts', line: 7, body: 'Resolve the conflict.' }];
    const begun = machines.begin(workflow, { title: 'T', diff: conflicted });
    const gate = machines.advance(workflow, begun.snapshot, { type: 'request_changes', input: { comments } });
    const declined = machines.advance(workflow, gate.snapshot, { type: 'decline', input: { reason: 'conflicts' } });
    expect(declined).toMatchObject({
      status: 'done',
      value: 'declined',
      output: { verdict: 'request_changes', comments, decision: 'decline', reason: 'conflicts' },
    });
  });

  it('ends with the fault of its reviewer, named', () => {
    const begun = machines.begin(workflow, { title: 'T', diff: clean });
    const fault = { agent: 'reviewer', iid: 'i', code: 'no_signal', reason: 'it never picked' };
    const failed = machines.advance(workflow, begun.snapshot, { type: 'agent.fault.reviewer', input: fault });
    expect(failed).toMatchObject({
      status: 'done',
      value: 'failed',
      output: { fault: { code: 'no_signal', reason: 'it never picked' } },
    });
  });
});
