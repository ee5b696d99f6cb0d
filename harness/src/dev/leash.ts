/** A child of `turnwire-harness dev` ends when that process is gone, even by SIGKILL: their channel breaks then. */
import { LEASH_MS } from '../limits.ts';

/** Set for the child alone: other parents with a channel have their own ideas of when it ends. */
export const LEASH = 'TURNWIRE_HARNESS_LEASH';

export function holdLeash(): void {
  if (process.env[LEASH] === undefined) return;
  delete process.env[LEASH];
  if (process.connected) process.once('disconnect', letGo);
  else letGo();
  // The channel alone keeps no process.
  process.channel?.unref();
}

/** As two signals in a row: its turns are aborted, what was written is on disk, and it is gone. */
function letGo(): void {
  setTimeout(() => process.exit(1), LEASH_MS).unref();
  process.kill(process.pid, 'SIGTERM');
  setTimeout(() => process.kill(process.pid, 'SIGTERM'), 50).unref();
}
