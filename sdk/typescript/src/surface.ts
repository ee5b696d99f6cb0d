import { checkHeaderText, checkIid } from './arguments.ts';
import { ask, objectOf } from './ask.ts';
import { type Answer, headerOf } from './certainty.ts';
import type { CallOptions, Connection } from './client.ts';
import type { FaultContext } from './fault.ts';
import { documented, says } from './meaning.ts';
import type { Attempt } from './seat.ts';
import type { Surface } from './wire.ts';

/** A surface read: the surface, or that it is still the one with the `etag` that was given. */
export type SurfaceRead =
  | { status: 'ok'; surface: Surface; etag: string | undefined; attempts: number }
  | { status: 'unchanged'; attempts: number };

/**
 * Reads the surface: Menu, Allowed picks, `turnId`. The first read of a turn goes on for 90 s (seat `surface`); with `step` it
 * is a single attempt of 2 s (seat `surface_step`), after whose failure the last list is kept (TW-RET-007).
 *
 * @throws TurnwireFault `turn_over`; `surface_refused` (any other final answer; its own code is in `problem`);
 *   `surface_unreachable`; `aborted`.
 * @throws TypeError naming the argument that is wrong.
 */
export async function surface(
  connection: Connection,
  of: { iid: string; etag?: string; step?: boolean },
  options?: CallOptions,
): Promise<SurfaceRead> {
  checkIid(of.iid);
  if (of.etag !== undefined) checkHeaderText(of.etag, 'etag');
  const question = {
    seat: of.step === true ? 'surface_step' : 'surface',
    call: { operation: 'readSurface', path: { iid: of.iid }, headers: { 'if-none-match': of.etag } },
    decode: (answer: Answer) => decode(answer, of.etag !== undefined),
    means,
  };
  const { value, attempts } = await ask(connection, question, options);
  return value === 'unchanged' ? { status: 'unchanged', attempts } : { status: 'ok', ...value, attempts };
}

function decode(
  answer: Answer,
  conditional: boolean,
): 'unchanged' | { surface: Surface; etag: string | undefined } | undefined {
  if (conditional && documented('readSurface', answer.status)?.means === 'surface_unchanged') return 'unchanged';
  const body = objectOf(answer);
  if (body === undefined) return undefined;
  const fine = typeof body.turnId === 'string' && Array.isArray(body.menu) && Array.isArray(body.allowed);
  return fine ? { surface: body as unknown as Surface, etag: headerOf(answer, 'etag') } : undefined;
}

/** A 404 ends a turn only as `turn_over`; every other final answer refuses the read (TW-RET-026, TW-TRN-015). */
function means(attempt: Attempt, because: string): Partial<FaultContext> {
  if (because === 'final') return says(attempt.said, 'turn_over') ? {} : { code: 'surface_refused' };
  return { code: 'surface_unreachable' };
}
