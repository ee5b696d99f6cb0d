import type { Logger } from '@turnwire/server';
import type { Tokens } from '../tokens.ts';
import type { Metrics } from './metrics.ts';
import type { Service } from './service.ts';

/** What the handlers work with. */
export interface Deps {
  readonly service: Service;
  readonly tokens: Tokens;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly software: { readonly name: string; readonly version: string };
  /** How often a quiet feed says that it is alive, in milliseconds (TW-FED-004). */
  readonly feedCommentMs: number;
}
