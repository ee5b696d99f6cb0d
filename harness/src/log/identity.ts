/** Whether the data folder is still the one that this process opened: a removed one keeps taking what is written to it. */
import { closeSync, fstatSync, openSync, statSync } from 'node:fs';

/** The folder is gone from its path, or another one is there: what is written now would be read by nobody (TW-DUR-009). */
export class FolderGone extends Error {
  override readonly name = 'FolderGone';
}

export interface Identity {
  /** @throws FolderGone when the path no longer leads to what was opened */
  verify(): void;
  close(): void;
}

/** Follows a file that lies in a folder as long as the folder lives. While it is open, no other file gets its inode. */
export function identityOf(file: string): Identity {
  const descriptor = openSync(file, 'r');
  const { dev, ino } = fstatSync(descriptor, { bigint: true });
  return {
    verify() {
      const now = statSync(file, { bigint: true, throwIfNoEntry: false });
      if (now?.dev !== dev || now.ino !== ino) throw new FolderGone(`${file} is gone, or another file is in its place`);
    },
    close: () => closeSync(descriptor),
  };
}
