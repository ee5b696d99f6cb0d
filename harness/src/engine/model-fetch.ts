/** The way to the model providers: patient, because a model may think for longer than Node's own fetch waits. */
import { Agent, fetch } from 'undici';
import { MODEL_CONNECT_MS, MODEL_SILENCE_MS } from '../turn/limits.ts';

interface Init {
  readonly signal?: AbortSignal | null;
}

/** A fetch whose connections may be silent for half an hour; Node's own gives up after 300 s without headers. */
export function patientFetch(silenceMs = MODEL_SILENCE_MS): typeof globalThis.fetch {
  const dispatcher = new Agent({
    headersTimeout: silenceMs,
    bodyTimeout: silenceMs,
    connect: { timeout: MODEL_CONNECT_MS },
  });
  const patient = (input: string, { signal, ...init }: Init = {}) =>
    fetch(input, { ...init, ...(signal ? { signal: plain(signal) } : {}), dispatcher });
  return patient as unknown as typeof globalThis.fetch;
}

/** The same signal as one of its own: undici refuses those that `AbortSignal.any` makes in Node 20. */
function plain(signal: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const abort = () => controller.abort(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  return controller.signal;
}
