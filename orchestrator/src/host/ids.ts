import { randomBytes } from 'node:crypto';
import type { IdKind } from '../run/draft.ts';

const prefixes: Record<IdKind, string> = {
  run: 'run',
  turn: 'turn',
  key: 'key',
  execution: 'exec',
  gate: 'gate',
  delivery: 'dlv',
  actor: 'actor',
  act: 'act',
};

/** 120 random bits, URL-safe, short enough that an iid made from it stays within 128 characters. */
export const randomId = (kind: IdKind): string => `${prefixes[kind]}_${randomBytes(15).toString('base64url')}`;
