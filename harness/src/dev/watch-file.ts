/** Sees that a file was saved: written in place, or replaced by a rename, as most editors do. */
import { statSync } from 'node:fs';
import { WATCH_MS } from '../limits.ts';

/** What is at the path now, as a text that differs after every save; `gone` while there is nothing. */
export type Look = string;

export function look(path: string): Look {
  // Looked at by its path, links followed: a notification belongs to an inode, and a rename puts another one there.
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats ? [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(' ') : 'gone';
}

export interface Watched {
  /** What the last reported save left. */
  readonly settled: Look;
  /** What was there at the last look. */
  readonly last: Look;
}

/** A save counts when two looks in a row see the same: one that is under way, or several in a row, are one. */
export function seen(watched: Watched, now: Look): { readonly watched: Watched; readonly saved: boolean } {
  const saved = now === watched.last && now !== watched.settled;
  return { watched: { settled: saved ? now : watched.settled, last: now }, saved };
}

/** Calls back after each save, until it is stopped. */
export function watchFile(path: string, onSave: () => void): () => void {
  const first = look(path);
  let watched: Watched = { settled: first, last: first };
  const timer = setInterval(() => {
    const result = seen(watched, lookAgain(path, watched.last));
    watched = result.watched;
    if (result.saved) onSave();
  }, WATCH_MS);
  return () => clearInterval(timer);
}

/** A folder that cannot be looked into for a moment is no reason to end. */
function lookAgain(path: string, last: Look): Look {
  try {
    return look(path);
  } catch {
    return last;
  }
}
