import { protocol } from '@turnwire/sdk';

/** A code of the closed enum in the spec. */
export type ProblemCode = keyof typeof protocol.problemCodes;

export interface ProblemMore {
  /** Where a code is used with another status than its usual one. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Extension members of the document (`problems`, `allowed`, `openGates`, …). */
  readonly members?: Readonly<Record<string, unknown>>;
}

/**
 * An answer that says no: thrown anywhere in a handler, written as RFC 9457 `application/problem+json` with its code
 * in the body and in the `Turnwire-Code` header.
 */
export class Problem extends Error {
  override readonly name = 'Problem';

  constructor(
    readonly code: ProblemCode,
    readonly detail: string,
    readonly more: ProblemMore = {},
  ) {
    super(`${code}: ${detail}`);
  }

  get status(): number {
    return this.more.status ?? protocol.problemCodes[this.code].status;
  }

  /** The members of the document. */
  toDocument(): Readonly<Record<string, unknown>> {
    const { title } = protocol.problemCodes[this.code];
    const type = `urn:turnwire:problem:${this.code}`;
    return { type, title, status: this.status, detail: this.detail, code: this.code, ...this.more.members };
  }

  get headers(): Readonly<Record<string, string>> {
    return { 'content-type': 'application/problem+json', [protocol.headers.code]: this.code, ...this.more.headers };
  }

  toResponse(): Response {
    return new Response(JSON.stringify(this.toDocument()), { status: this.status, headers: this.headers });
  }
}
