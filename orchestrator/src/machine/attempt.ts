/** The key by which an author's effect can be made idempotent: actions and promise actors run at least once. */
import { AsyncLocalStorage } from 'node:async_hooks';

// On the global object, because a workflow module may have loaded another copy of this package than the host.
const SLOT = Symbol.for('turnwire.attempt');
const globals = globalThis as { [SLOT]?: AsyncLocalStorage<string> };
globals[SLOT] ??= new AsyncLocalStorage<string>();
const keys = globals[SLOT];

/** Runs `work` so that `attemptKey()` answers `key`, in whatever it awaits too. */
export function withEffects<T>({ key }: { key: string }, work: () => T): T {
  return keys.run(key, work);
}

/**
 * Inside an action or an actor of a hosted Machine: a key that is the same each time this one action, or this one start of the
 * actor, is executed again after a crash. Give it to whatever you call as its idempotency key.
 *
 * @throws Error outside of a hosted Machine's action or actor.
 */
export function attemptKey(): string {
  const key = keys.getStore();
  if (key === undefined)
    throw new Error('attemptKey() was called outside of a hosted Machine; it answers inside actions and actors');
  return key;
}
