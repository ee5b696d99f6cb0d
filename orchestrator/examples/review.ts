/**
 * Review: an Agent reads a unified diff, may have it checked, and gives its verdict; a person then merges or declines.
 *
 * Start it with `--input @change.diff --title "…"`: the diff is checked to be one before anything runs.
 */
import { defineAgent, defineEvent, setup } from '@turnwire/orchestrator';
import { assign, fromPromise } from 'xstate';
import { z } from 'zod';
import { type CheckReport, checkDiff, isUnifiedDiff } from './review/diff-checks.ts';

const comment = z.object({ file: z.string(), line: z.number().int().positive(), body: z.string().min(1) });
type Comment = z.output<typeof comment>;

const approve = defineEvent({
  name: 'approve',
  description: 'The change is good as it is. Ends your review.',
  input: z.object({ summary: z.string().optional() }),
});
const requestChanges = defineEvent({
  name: 'request_changes',
  description:
    'The change must not be merged as it is. Ends your review. Give one comment for each thing that has to change.',
  input: z.object({ comments: z.array(comment).min(1) }),
});
const runChecks = defineEvent({
  name: 'run_checks',
  description:
    'Checks the diff itself: hunk counts, conflict markers, file sizes, paths. Answers with the findings. Once is enough.',
  input: z.object({}),
  answer: ({ context }) => context.report,
});
const merge = defineEvent({ name: 'merge', by: 'outside', description: 'Merge the change.', input: z.object({}) });
const decline = defineEvent({
  name: 'decline',
  by: 'outside',
  description: 'Do not merge the change.',
  input: z.object({ reason: z.string().min(1) }),
});

interface Review {
  title: string;
  diff: string;
  report?: CheckReport;
  verdict?: 'approve' | 'request_changes';
  summary?: string;
  comments: Comment[];
  decision?: 'merge' | 'decline';
  reason?: string;
  fault?: { code: string; reason: string };
}

const instructions = `You review one change to a code base, given as a unified diff. Look for mistakes that would hurt: wrong logic,
missing cases, leftovers. Run the checks once before you decide. Then either approve, or request changes with one comment per
finding, each with the file and the line it is about.`;

/** Stands for a slow CI: how long the checks take beyond their work, in milliseconds. */
const checksTakeMs = Number(process.env.REVIEW_CHECKS_TAKE_MS ?? 0);

const checks = fromPromise<CheckReport, { diff: string }>(async ({ input, signal }) => {
  if (checksTakeMs > 0) {
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(resolve, checksTakeMs);
      const stop = () => {
        clearTimeout(timer);
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', stop, { once: true });
    });
  }
  return checkDiff(input.diff);
});

export const machine = setup({
  input: z.object({
    title: z.string().min(1),
    diff: z
      .string()
      .refine(
        isUnifiedDiff,
        'is not a unified diff: it needs a `---` line, a `+++` line and a hunk that begins with `@@`',
      ),
  }),
  types: {} as { context: Review },
  events: [approve, requestChanges, runChecks, merge, decline],
  agents: {
    // It has no effect but its picks, so a turn that was lost before any of them may run again.
    reviewer: defineAgent({
      model: process.env.REVIEW_MODEL ?? 'openai-compatible/any',
      instructions,
      rerunnable: true,
    }),
  },
  actors: { checks },
}).createMachine({
  id: 'review',
  context: ({ input }) => ({ ...input, comments: [] }),
  initial: 'reviewing',
  states: {
    reviewing: {
      invoke: {
        src: 'reviewer',
        input: ({ context }) => ({
          prompt: `Review this change.\n\nTitle: ${context.title}\n\n\`\`\`diff\n${context.diff}\n\`\`\``,
        }),
      },
      on: {
        approve: {
          target: 'deciding',
          actions: assign(({ event }) => ({
            verdict: 'approve',
            ...(event.input.summary && { summary: event.input.summary }),
          })),
        },
        request_changes: {
          target: 'deciding',
          actions: assign({ verdict: 'request_changes', comments: ({ event }) => event.input.comments }),
        },
        run_checks: { target: '.checking', guard: ({ context }) => context.report === undefined },
        'agent.fault.reviewer': {
          target: 'failed',
          actions: assign({ fault: ({ event }) => ({ code: event.input.code, reason: event.input.reason }) }),
        },
      },
      initial: 'reading',
      states: {
        reading: {},
        checking: {
          invoke: {
            src: 'checks',
            input: ({ context }) => ({ diff: context.diff }),
            onDone: { target: 'reading', actions: assign({ report: ({ event }) => event.output }) },
          },
        },
      },
    },
    deciding: {
      invoke: {
        src: 'gate',
        input: ({ context }) => ({
          gate: 'merge_decision',
          meta: {
            title: context.title,
            verdict: context.verdict ?? null,
            comments: context.comments.map(({ file, line, body }) => ({ file, line, body })),
            checksPassed: context.report?.passed ?? null,
          },
        }),
      },
      on: {
        merge: { target: 'merged', actions: assign({ decision: 'merge' }) },
        decline: {
          target: 'declined',
          actions: assign({ decision: 'decline', reason: ({ event }) => event.input.reason }),
        },
      },
    },
    merged: { type: 'final' },
    declined: { type: 'final' },
    failed: { type: 'final' },
  },
  output: ({ context: { verdict, comments, decision, reason, fault } }) => ({
    verdict,
    comments,
    decision,
    reason,
    fault,
  }),
});
