import { expect, it } from 'vitest';
import { protocol } from './gen/protocol.ts';
import { Meter } from './routability.ts';
import { handClock } from './testing/hand-clock.ts';

const url = 'http://127.0.0.1:1/x';

/** A seat whose first attempts failed, so many of them and so many milliseconds apart. */
async function metered(failures: number, apartMs: number) {
  const clock = handClock();
  const meter = new Meter('surface', clock);
  for (let attempt = 0; attempt < failures; attempt++) {
    meter.failed(clock.now(), 'ECONNREFUSED');
    await clock.sleep(apartMs);
  }
  return meter.line(url, true);
}

it.each([
  ['few and quick', 7, 100, true],
  ['as many as it may', protocol.constants.budgetAttempts - 1, 1_000, true],
  ['many and quick', protocol.constants.budgetAttempts, 100, false],
  ['few and slow', 2, protocol.constants.budgetMs / 2 + 1, false],
])('TW-RET-023: refusals that are %s are within the budget, or not', async (_, failures, apartMs, within) => {
  expect(await metered(failures, apartMs)).toMatchObject({
    withinBudget: within,
    attempts: failures + 1,
    ms: failures * apartMs,
    last: 'ECONNREFUSED',
  });
});

it('TW-RET-022: one attempt that was enough says nothing', async () => {
  expect(await metered(0, 0)).toBeUndefined();
});

it('counts the time of trouble only, and what was answered in between is none', async () => {
  const clock = handClock();
  const meter = new Meter('stream', clock);
  for (let cut = 0; cut < 2; cut++) {
    meter.failed(clock.now(), 'reset');
    await clock.sleep(200);
    meter.answered();
    await clock.sleep(60_000);
  }
  const line = meter.line(url, true);
  expect(line?.msg).toBe(`turnwire.routability seat=stream attempts=3 ms=400 last=reset url=${url}`);
});
