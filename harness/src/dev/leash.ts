/** A child of `turnwire-harness dev` ends when that process is gone, even by SIGKILL: their channel breaks then. */
import { LEASH_MS } from '../limits.ts';

/** Set for the child alone: other parents with a channel have their own ideas of when it ends. */
export const LEASH = 'TURNWIRE_HARNESS_LEASH';

/** What the child says once it serves: how it ends after that is no fault of what it was started with. */
export const SERVES = 'serves';

/** @returns what tells `dev` that this process serves */
export function holdLeash(): () => void {
  if (process.env[LEASH] === undefined) return () => undefined;
  delete process.env[LEASH];
  if (process.connected) process.once('disconnect', letGo);
  else letGo();
  // The channel alone keeps no process.
  process.channel?.unref();
  // When nobody is there any more, the leash has said so already.
  return () => void process.send?.(SERVES, undefined, undefined, () => undefined);
}

/** As two signals in a row: its turns are aborted, what was written is on disk, and it is gone. */
function letGo(): void {
  setTimeout(() => process.exit(1), LEASH_MS).unref();
  process.kill(process.pid, 'SIGTERM');
  setTimeout(() => process.kill(process.pid, 'SIGTERM'), 50).unref();
}
