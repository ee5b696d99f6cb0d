import { expect, it } from 'vitest';
import { race } from './testing/keep-alive.ts';

const posts = 120;

it('TW-RET-028: ten minutes of picks every 4,990–5,010 ms: none fails or is doubled', async () => {
  const { outcomes, lines, arrived, sent } = await race(posts);
  expect(outcomes.map(({ code, attempts }) => `${code} ${attempts}`)).toEqual(Array(sent).fill('moved 1'));
  expect([...arrived.values()]).toEqual(Array(sent).fill(1));
  expect(lines).toEqual([]);
}, 700_000);
