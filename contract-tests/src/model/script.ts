/**
 * The script of the model: data that says what to answer in which state of a conversation.
 * Documented for people in `docs/model-script.md`; checked by `validate.ts`.
 */

/** A text holds (string), or holds, does not hold, matches, equals; several: all of them. */
export type Matcher = string | TextMatcher | readonly (string | TextMatcher)[];

export interface TextMatcher {
  readonly contains?: string;
  readonly notContains?: string;
  /** A regular expression. */
  readonly matches?: string;
  readonly equals?: string;
}

/** Everything that is given must hold. An empty condition always holds. */
export interface Condition {
  /** Only what came after the newest user message that holds this is looked at (by `step`, `called`, the tool results). */
  readonly after?: string;
  /** The how-manieth answer this is, 1 for the first; a range is inclusive. */
  readonly step?: number | readonly [number, number];
  /** The newest user message. */
  readonly lastMessage?: Matcher;
  /** All user messages, joined by blank lines. */
  readonly messages?: Matcher;
  readonly system?: Matcher;
  /** The result of the newest tool call; a request that does not end in one (but for later user messages) has none. */
  readonly lastToolResult?: Matcher;
  /** All tool results, joined by blank lines. */
  readonly toolResults?: Matcher;
  /** Tools by name and how often they were called: a number, or `{min?, max?}`. */
  readonly called?: Readonly<Record<string, number | { readonly min?: number; readonly max?: number }>>;
  /** Names that the request offers. */
  readonly tools?: readonly string[];
  readonly model?: Matcher;
  /** The how-manieth copy of this very request since the server started: for faults that a retry gets past. */
  readonly attempt?: number | readonly [number, number];
}

/** Values taken from a text, for use in the reply. */
export interface Extraction {
  readonly from: 'lastToolResult' | 'lastMessage' | 'messages' | 'system';
  /** A regular expression with named groups; each match is an item. */
  readonly matches?: string;
  /** A JSON pointer into the first JSON array or object of the text; `''` is the whole. */
  readonly json?: string;
}

export interface ScriptedCall {
  readonly name: string;
  /** A template; `{}` when absent. */
  readonly input?: unknown;
  /** Sent as it is instead of `input`, to be malformed on purpose. */
  readonly rawArguments?: string;
}

export interface ScriptedError {
  readonly status: number;
  readonly message?: string;
  readonly type?: string;
  readonly code?: string;
  /** The `Retry-After` header, in seconds. */
  readonly retryAfter?: number;
}

export interface Reply {
  /** A template. */
  readonly text?: string;
  readonly toolCalls?: readonly ScriptedCall[];
  readonly usage?: {
    readonly inputTokens?: number;
    readonly outputTokens?: number;
    readonly cachedInputTokens?: number;
  };
  readonly finishReason?: string;
  /** Before the status line, in milliseconds. */
  readonly delayMs?: number;
  /** Between two chunks of a stream, in milliseconds. */
  readonly chunkDelayMs?: number;
  /** Characters of a chunk. */
  readonly chunkSize?: number;
  readonly error?: ScriptedError;
  /** The connection is destroyed here; `clean`: the stream ends as if it were whole, without its last words. */
  readonly cut?: 'before_headers' | 'after_headers' | { readonly afterChunks: number; readonly clean?: boolean };
  /** An error event inside the stream, and its end. */
  readonly streamError?: { readonly afterChunks: number; readonly message: string };
  /** Accepted and never answered. */
  readonly hang?: boolean;
}

export interface Rule {
  readonly name?: string;
  readonly when?: Condition;
  readonly extract?: Readonly<Record<string, Extraction>>;
  readonly reply: Reply;
}

export interface Script {
  readonly name?: string;
  /** What `GET /v1/models` lists; any model is answered. */
  readonly models?: readonly string[];
  /** Asked for as a bearer token when given. */
  readonly apiKey?: string;
  /** Laid under every reply. */
  readonly defaults?: Pick<Reply, 'delayMs' | 'chunkDelayMs' | 'chunkSize'>;
  /** The first that holds answers. */
  readonly rules: readonly Rule[];
}
