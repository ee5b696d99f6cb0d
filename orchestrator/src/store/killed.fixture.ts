/** A process that commits one run after another, says so, and kills itself right after the commit that it was told. */
import { writeSync } from 'node:fs';
import { GroupCommit } from './group-commit.ts';
import { openStore } from './open.ts';

const [url = '', at = '0'] = process.argv.slice(2);
const store = await openStore(url, {
  waitMs: 5_000,
  afterCommit: (count) => {
    if (count === Number(at)) process.kill(process.pid, 'SIGKILL');
  },
});
const group = new GroupCommit(store);
for (let n = 1; ; n += 1) {
  const runId = `run_${n}`;
  await group.commit({ run: { runId, workflow: 'w', status: 'active', live: true, startedAt: n, document: '{}' } });
  writeSync(1, `${runId}\n`);
}
