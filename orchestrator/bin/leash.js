/**
 * Preloaded by `turnwire dev` into each process that it starts. When `dev` is gone, however it died, the process drains as it
 * would at SIGTERM. A process that was started otherwise is never on the leash.
 */
import { readFileSync, rmSync } from 'node:fs';

const leash = process.env.TURNWIRE_DEV_LEASH;
// What this process starts in turn inherits the preload, and must not be on the leash itself.
delete process.env.TURNWIRE_DEV_LEASH;

if (leash) {
  process.once('disconnect', () => end(JSON.parse(leash)));
  process.channel?.unref();
}

/** @param {{ dev: number, killMs: number, addressFile?: string }} leash */
function end({ dev, killMs, addressFile }) {
  if (addressFile) removeAddress(addressFile, dev);
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), killMs).unref();
  process.kill(process.pid, 'SIGTERM');
}

/** Only that of our own `dev`: another may have begun. */
function removeAddress(file, dev) {
  try {
    if (readFileSync(file, 'utf8').split('\n')[1] === String(dev)) rmSync(file);
  } catch {
    // It is gone already.
  }
}
