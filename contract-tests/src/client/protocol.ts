/** What the kit and an adapter say to each other, one JSON line each. Documented for people in `docs/adapters.md`. */

/** Version of this protocol; an adapter says in `init` which one it speaks. */
export const adapterProtocol = 1;

export interface CallOptions {
  /** Milliseconds that the seat may spend on re-sending; the spec's own window when absent. */
  readonly windowMs?: number;
  /** Milliseconds of one attempt; the spec's own when absent. */
  readonly attemptMs?: number;
}

export interface AdapterCommand {
  readonly id: string;
  readonly command: string;
  readonly url?: string;
  readonly token?: string;
  readonly input?: unknown;
  readonly options?: CallOptions;
  readonly of?: string;
}

export interface AdapterError {
  readonly seat?: string;
  readonly code?: string;
  readonly certainty?: string;
  readonly status?: number;
  readonly address?: string;
  readonly attempts?: number;
  readonly elapsedMs?: number;
  readonly permanent?: boolean;
  readonly message?: string;
}

/** Everything but the id is what the subject claims; nothing of it is believed without a look at what arrived. */
export interface AdapterResult {
  readonly id: string;
  readonly outcome?: string;
  readonly certainty?: string;
  readonly taken?: boolean | 'unknown';
  readonly permanent?: boolean;
  readonly code?: string;
  readonly kind?: string;
  readonly attempts?: number;
  readonly text?: string;
  readonly value?: unknown;
  readonly error?: AdapterError;
  readonly lines?: readonly string[];
  readonly [member: string]: unknown;
}

/** The answer to `init`. */
export interface Introduction {
  readonly language: string;
  readonly version: string;
  readonly features: readonly string[];
  /** The vectors of native errors that it takes, by their `language`; its own language when absent. */
  readonly vectors: string;
}

export function introductionOf(result: AdapterResult): Introduction | undefined {
  const { language, version, features, vectors = language, protocol = adapterProtocol } = result;
  const fine = typeof language === 'string' && typeof version === 'string' && Array.isArray(features);
  if (!fine || typeof vectors !== 'string' || protocol !== adapterProtocol) return undefined;
  return { language, version, features: features.map(String), vectors };
}

/** The line as a result, or what is wrong with it. */
export function readResult(line: string): AdapterResult | string {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return `wrote a line that is not JSON: ${line.slice(0, 120)}`;
  }
  const fine = typeof value === 'object' && value !== null && typeof (value as AdapterResult).id === 'string';
  return fine ? (value as AdapterResult) : `wrote a result without the id of a command: ${line.slice(0, 120)}`;
}
