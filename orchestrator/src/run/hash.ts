import { hash } from 'node:crypto';
import { canonical, type JsonValue } from './json.ts';

/** One short text for one JSON value: two bodies are the same when these are. */
export const hashOf = (value: JsonValue): string => hash('sha256', canonical(value), 'base64url');
