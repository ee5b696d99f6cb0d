import { rungMs } from '@turnwire/sdk';
import { APICallError } from 'ai';
import { MAX_PROVIDER_MESSAGE } from '../turn/limits.ts';
import type { TurnClock } from '../turn/port.ts';
import { askedToWait, type Failure, nextAttempt } from './again.ts';
import { attemptStep } from './attempt.ts';
import { type ModelSettings, resolveModel, withoutKeys } from './models.ts';
import { type Engine, EngineFailure, type StepRequest, type StepResult } from './port.ts';

export interface AiSdkEngineOptions {
  readonly settings: ModelSettings;
  readonly clock: TurnClock;
  /** Uniform in [0, 1); `Math.random` by default. */
  readonly random?: () => number;
  /** The providers' way out; the platform's own by default. */
  readonly fetch?: typeof globalThis.fetch;
}

/** The default engine: one step of the Vercel AI SDK, provider errors and rate limits retried inside it, bounded. */
export function aiSdkEngine(options: AiSdkEngineOptions): Engine {
  // Its warnings go to the console, and stdout belongs to the one line that says where the process listens.
  (globalThis as { AI_SDK_LOG_WARNINGS?: boolean }).AI_SDK_LOG_WARNINGS = false;
  return { step: (request) => stepWithRetry(request, options) };
}

async function stepWithRetry(request: StepRequest, options: AiSdkEngineOptions): Promise<StepResult> {
  const resolved = resolveModel(request.model, request.thinkingLevel, options.settings, options.fetch);
  const begun = options.clock.now();
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await untilAborted(attemptStep(request, resolved, request.signal), request.signal);
    } catch (error) {
      request.signal.throwIfAborted();
      const failure = judge(error, options.clock.now());
      const wait = nextAttempt(failure, {
        attempts,
        elapsedMs: options.clock.now() - begun,
        rungMs: rungMs(attempts - 1, options.random ?? Math.random),
      });
      const reason = withoutKeys(failure.message, options.settings).slice(0, MAX_PROVIDER_MESSAGE);
      if (wait === undefined)
        throw new EngineFailure(`${reason} (${attempts} ${attempts === 1 ? 'attempt' : 'attempts'})`, { cause: error });
      request.emit({ type: 'again', reason });
      await options.clock.sleep(wait, request.signal);
      request.signal.throwIfAborted();
    }
  }
}

/** A provider may be slow to notice its signal: the abort settles the step by itself (TW-ABT-006). */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let onAbort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
    work.catch(() => undefined);
  }
}

/** What a provider's error is worth. Everything that is not its own final word may pass: a step has no effect but its cost. */
function judge(error: unknown, now: number): Failure & { message: string } {
  if (error instanceof EngineFailure) return { retryable: false, message: error.message };
  if (!APICallError.isInstance(error)) return { retryable: true, message: deepest(error) };
  const asked = askedToWait(error.responseHeaders, now);
  // Without a status, or with a good one and a broken body, the message is a wrapper's.
  const wrapped = error.statusCode === undefined || error.statusCode < 300;
  const status = wrapped ? '' : ` (${error.statusCode})`;
  return {
    retryable: error.isRetryable || wrapped,
    ...(asked !== undefined && { retryAfterMs: asked }),
    message: `the model's provider failed${status}: ${wrapped ? deepest(error) : error.message}`,
  };
}

/** "fetch failed" says nothing; what failed is the cause. */
function deepest(error: unknown): string {
  let at = error;
  for (let level = 0; level < 8 && at instanceof Error && at.cause instanceof Error; level += 1) at = at.cause;
  if (at instanceof AggregateError && at.errors[0] instanceof Error) at = at.errors[0];
  if (at instanceof Error) return at.message || at.name;
  return typeof at === 'string' ? at : (JSON.stringify(at) ?? 'unknown error');
}
