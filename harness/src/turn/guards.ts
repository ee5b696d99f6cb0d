/** Runaway and limits: what a turn may use up. Pure. */
import type { StepResult, ToolCall } from '../engine/port.ts';
import { MAX_IDENTICAL_CALLS, MAX_TOOL_CALLS } from './limits.ts';
import type { Limits, PickResult, TurnProgress } from './port.ts';
import type { Ending } from './state.ts';

export const aborted: Ending = {
  outcome: 'aborted',
  error: { code: 'aborted', message: 'the Submission was aborted' },
};

export const turnOver: Ending = {
  outcome: 'aborted',
  error: { code: 'turn_over', message: 'the turn is over: the workflow has left the state that asked for it' },
};

export const completed: Ending = { outcome: 'completed' };

export const failed = (code: NonNullable<Ending['error']>['code'], message: string): Ending => ({
  outcome: 'failed',
  error: { code, message },
});

/** Names the limit and the amount used (TW-TRN-013). */
const exceeded = (name: keyof Limits, limit: number, used: string): Ending =>
  failed('limit_exceeded', `the limit ${name} of ${limit} was exceeded: ${used}`);

/** The limits that one step of the model can exceed. */
export function stepExceeds(limits: Limits | undefined, step: StepResult, tokens: number): Ending | undefined {
  const { maxOutputTokens, maxTotalTokens } = limits ?? {};
  const output = step.usage.outputTokens;
  if (maxOutputTokens !== undefined && (output > maxOutputTokens || step.truncated === true)) {
    const cut = output > maxOutputTokens ? '' : ', and the answer was cut there';
    return exceeded('maxOutputTokens', maxOutputTokens, `${output} used in one step${cut}`);
  }
  if (maxTotalTokens !== undefined && tokens > maxTotalTokens) {
    return exceeded('maxTotalTokens', maxTotalTokens, `${tokens} used`);
  }
  return undefined;
}

export function deadlineExceeded(limits: Limits | undefined, usedMs: number): Ending {
  return exceeded('deadlineSeconds', limits?.deadlineSeconds ?? 0, `${(usedMs / 1000).toFixed(1)} used`);
}

/** What forbids this call, which would be one more; it is then never executed (TW-TRN-011). */
export function callForbidden(limits: Limits | undefined, progress: TurnProgress, call: ToolCall): Ending | undefined {
  const calls = progress.toolCalls + 1;
  if (limits?.maxToolCalls !== undefined && calls > limits.maxToolCalls) {
    return exceeded('maxToolCalls', limits.maxToolCalls, `call ${calls} was asked for`);
  }
  if (calls > MAX_TOOL_CALLS) return failed('runaway', `more than ${MAX_TOOL_CALLS} tool calls in one turn`);
  const identical = progress.repeated.key === callKey(call) ? progress.repeated.count + 1 : 1;
  if (identical >= MAX_IDENTICAL_CALLS) {
    return failed(
      'runaway',
      `${call.name} was called ${identical} times in a row with the same input, and nothing moved`,
    );
  }
  return undefined;
}

/** Same name, same JSON: the order of an object's members is no difference. */
export const callKey = (call: Pick<ToolCall, 'name' | 'input'>) => `${call.name} ${canonical(call.input)}`;

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, entry: unknown) =>
    typeof entry === 'object' && entry !== null && !Array.isArray(entry)
      ? Object.fromEntries(Object.entries(entry).sort(([a], [b]) => (a < b ? -1 : 1)))
      : entry,
  );
}

/** These reached the workflow and moved nothing. */
const MOVED_NOTHING = new Set(['not_moved', 'refused']);

/**
 * Only calls that reached the workflow and moved nothing count as identical (TW-TRN-012). One that moved begins anew;
 * one that never got there neither counts nor makes the row forgotten, but another call between does.
 */
export function countRepeats(
  repeated: TurnProgress['repeated'],
  call: ToolCall,
  code?: PickResult['code'],
): TurnProgress['repeated'] {
  const key = callKey(call);
  if (code === 'moved') return { key: '', count: 0 };
  const before = repeated.key === key ? repeated.count : 0;
  return { key, count: before + (code !== undefined && MOVED_NOTHING.has(code) ? 1 : 0) };
}
