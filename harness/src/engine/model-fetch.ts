/** The way to the model providers: patient, because a model may think for longer than Node's own fetch waits. */
import { Agent, fetch } from 'undici';
import { MODEL_CONNECT_MS, MODEL_SILENCE_MS } from '../turn/limits.ts';

/** A fetch whose connections may be silent for half an hour; Node's own gives up after 300 s without headers. */
export function patientFetch(silenceMs = MODEL_SILENCE_MS): typeof globalThis.fetch {
  const dispatcher = new Agent({
    headersTimeout: silenceMs,
    bodyTimeout: silenceMs,
    connect: { timeout: MODEL_CONNECT_MS },
  });
  const patient = (input: string, init: object = {}) => fetch(input, { ...init, dispatcher });
  return patient as unknown as typeof globalThis.fetch;
}
