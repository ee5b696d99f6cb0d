/**
 * The three tokens of the Orchestrator and the two files that they come from (TW-TOK). Placement and harness tokens are
 * derived from the signing key, never stored: a restarted Orchestrator derives the same ones.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { hmac, StartError, sameText, sha256 } from '@turnwire/server';
import { SECRET_BYTES, SIGNING_KEY_MIN_BYTES } from './limits.ts';
import { secretFile } from './secret-file.ts';

export const SIGNING_KEY_FILE = 'signing.key';
export const INSTANCE_TOKEN_FILE = 'instance.token';

/** Who a bearer token speaks for. A harness token is valid here too, though it opens nothing: 403, not 401. */
export type Caller =
  | { readonly kind: 'instance' }
  | { readonly kind: 'placement'; readonly placement: string }
  | { readonly kind: 'harness'; readonly placement: string };

/** What a role does with its secrets; the secrets themselves stay inside. */
export interface Tokens {
  /** The caller whom a presented bearer token proves, compared in constant time; undefined: it does not verify. */
  identify(bearer: string | undefined): Caller | undefined;
  /** What the Orchestrator presents to the Harness of a placement. */
  harnessToken(placement: string): string;
}

/** `<placement>.<base64url(HMAC-SHA256(key, placement))>`: Harness → Orchestrator, held by the Custodian. */
export const placementToken = (key: Uint8Array, placement: string): string => `${placement}.${hmac(key, placement)}`;

/** `base64url(HMAC-SHA256(key, "harness:" + placement))`: Orchestrator → Harness, for that placement's origin alone. */
export const harnessToken = (key: Uint8Array, placement: string): string => hmac(key, `harness:${placement}`);

/** What the Harness holds instead of its token: the base64url SHA-256 of the token's text. */
export const harnessTokenDigest = (key: Uint8Array, placement: string): string => sha256(harnessToken(key, placement));

/**
 * The signing key: the bytes of the file without one trailing newline. Made when it is missing: 32 random bytes as text.
 * @throws StartError naming the file when others can read it, it is too short, or it is missing and cannot be made
 */
export function signingKey(stateDir: string, onMade?: (file: string) => void): Buffer {
  const file = join(stateDir, SIGNING_KEY_FILE);
  const key = secretFile(file, freshSecret, onMade);
  if (key.length < SIGNING_KEY_MIN_BYTES) {
    throw new StartError(
      `${file} holds ${key.length} bytes and a signing key needs at least ${SIGNING_KEY_MIN_BYTES}; remove it to have a new one made (every token derived from it changes)`,
    );
  }
  return key;
}

/**
 * The instance token of people, CLI and CI. Made when it is missing.
 * @throws StartError as `signingKey` does, and when the file is not one line of visible ASCII
 */
export function instanceToken(stateDir: string, onMade?: (file: string) => void): string {
  const file = join(stateDir, INSTANCE_TOKEN_FILE);
  const text = secretFile(file, freshSecret, onMade).toString('latin1');
  if (!/^[\x21-\x7e]{16,}$/.test(text)) {
    throw new StartError(`${file} does not hold an instance token; remove it to have a new one made`);
  }
  return text;
}

/** @param placements the placements whose harness tokens are known here; a placement token names its own */
export function createTokens(key: Uint8Array, instance: string, placements: readonly string[]): Tokens {
  const harness = placements.map((placement) => ({ placement, token: harnessToken(key, placement) }));
  return {
    harnessToken: (placement) => harnessToken(key, placement),
    identify(bearer) {
      if (bearer === undefined) return undefined;
      if (sameText(bearer, instance)) return { kind: 'instance' };
      const placement = placementOf(key, bearer);
      if (placement !== undefined) return { kind: 'placement', placement };
      const known = harness.find(({ token }) => sameText(bearer, token));
      return known && { kind: 'harness', placement: known.placement };
    },
  };
}

function placementOf(key: Uint8Array, bearer: string): string | undefined {
  const placement = /^([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)\.[A-Za-z0-9_-]{43}$/.exec(bearer)?.[1];
  return placement !== undefined && sameText(bearer, placementToken(key, placement)) ? placement : undefined;
}

const freshSecret = (): string => randomBytes(SECRET_BYTES).toString('base64url');
