import { protocol } from '@turnwire/sdk';
import { type Context, Hono } from 'hono';
import type { Logger } from './logger.ts';
import { Problem } from './problem.ts';

export interface AppOptions {
  readonly log: Logger;
  /** Headers that every answer of this role carries besides `Turnwire-Version`, read at each answer. */
  readonly headers?: () => Readonly<Record<string, string>>;
  /**
   * Refuses a stranger where a token is needed, asked before another version is refused: who may not ask is told that
   * and nothing else (TW-GEN-010). @throws Problem 401
   */
  readonly authorise?: (c: Context) => void;
}

const ofEveryAnswer = new WeakMap<Hono, () => Readonly<Record<string, string>>>();

/** The headers that every answer of an app carries, also where it is given before the app is asked. */
export const headersOf = (app: Hono): Readonly<Record<string, string>> => ofEveryAnswer.get(app)?.() ?? {};

/**
 * A Hono app that already speaks as a role of ours: `Turnwire-Version` on every answer, another major refused with
 * `unsupported_version`, what no route takes answered `not_found`, a thrown `Problem` written as its document, and a
 * defect answered 500 `internal_error` without a word of its insides.
 */
export function createApp(options: AppOptions): Hono {
  const app = new Hono();
  if (options.headers) ofEveryAnswer.set(app, options.headers);
  const { headers } = protocol;
  app.use(async (c, next) => {
    await next();
    // Set in place: `c.header` would make a second Response of the first, and a stream of its body.
    c.res.headers.set(headers.version, protocol.version);
    for (const [name, value] of Object.entries(options.headers?.() ?? {})) c.res.headers.set(name, value);
  });
  app.use((c, next) => {
    const asked = c.req.header(headers.version);
    if (asked === undefined || asked.split('.')[0] === protocol.version) return next();
    options.authorise?.(c);
    throw new Problem('unsupported_version', `this speaks Turnwire ${protocol.version}, not ${asked.slice(0, 16)}`);
  });
  app.notFound(() => new Problem('not_found', 'there is nothing at this path').toResponse());
  app.onError((error) => {
    if (error instanceof Problem) return error.toResponse();
    options.log.error({ err: error }, 'a request failed unexpectedly');
    return new Problem('internal_error', 'the request failed unexpectedly; the log says more').toResponse();
  });
  return app;
}
