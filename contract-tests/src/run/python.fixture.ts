import { spawnSync } from 'node:child_process';

/** Why the example in Python cannot run on this machine; undefined where it can. */
export const noPython: string | undefined =
  spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 11))']).status === 0
    ? undefined
    : 'there is no Python of 3.11 or later, which the example needs';
