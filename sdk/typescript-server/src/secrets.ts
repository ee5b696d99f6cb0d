import { createHmac, hash, timingSafeEqual } from 'node:crypto';

/** SHA-256 of a text, as base64url. */
export const sha256 = (text: string): string => hash('sha256', text, 'base64url');

/** HMAC-SHA256 of a text under a key, as base64url. */
export const hmac = (key: Uint8Array, text: string): string =>
  createHmac('sha256', key).update(text).digest('base64url');

/** Compares two texts in constant time: both are hashed first, so that their lengths tell nothing either. */
export function sameText(a: string, b: string): boolean {
  const digest = (text: string) => hash('sha256', text, 'buffer');
  return timingSafeEqual(digest(a), digest(b));
}

/** The bearer token of an `Authorization` header; undefined when there is none or it is malformed. */
export function bearerOf(authorization: string | undefined): string | undefined {
  return /^Bearer ([\x21-\x7e]+)$/i.exec(authorization ?? '')?.[1];
}
