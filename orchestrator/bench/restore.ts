/** From the start of the process to the first request that it serves, with runs whose turn is in flight. */
import { fsyncMs, ms, type Sheet } from './figures.ts';
import { Stage } from './stage.ts';

export async function measureRestore(sheet: Sheet): Promise<void> {
  const stage = await Stage.open();
  await stage.subject.kill();
  const empty = await stage.start();
  const disk = `fsync ${ms(fsyncMs(stage.folder))}`;
  sheet.say('start with no run', `${ms(empty)}; ${disk}`);
  let there = 0;
  const took: number[] = [];
  for (const [count, most] of [
    [1_000, 3_000],
    [5_000, 15_000],
    [10_000, 30_000],
  ] as const) {
    await stage.begin(count - there, there);
    there = count;
    await stage.subject.kill();
    const time = await stage.start();
    took.push(time - empty);
    const deadline = performance.now() + 60_000;
    while (stage.harness.parked < count && performance.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 20));
    // One whose Admission was not committed yet is sent again under its key, and is the same Submission.
    const again = stage.harness.submissions - count;
    const figure = `${ms(time)}, ${stage.harness.parked.toLocaleString('en')} attached again, ${again} run twice; ${disk}`;
    sheet.say(`restore of ${count.toLocaleString('en')} live runs`, figure, {
      holds: time <= most && again === 0,
      text: `at most ${most / 1_000} s`,
    });
  }
  // From 5,000 to 10,000: at 1,000 most of the time is the process's own start.
  const [, half = 1, whole = 1] = took;
  const factor = whole / half;
  sheet.say('  twice the runs', `${factor.toFixed(1)} × the time, without the start itself`, {
    holds: factor <= 2.4,
    text: 'linear: at most 2.4',
  });
  await stage.close();
}
