import { expect, it } from 'vitest';
import { race } from './testing/keep-alive.ts';

/** Ten minutes of them on each connection. */
const posts = 120;

it('TW-RET-028: ten minutes of picks every 4,990–5,010 ms: none fails or is doubled', async () => {
  const { outcomes, lines, arrived, sent } = await race(posts);
  expect([...arrived].sort()).toEqual([...sent].sort());
  expect(new Set(outcomes.map(({ code, attempts }) => `${code} ${attempts}`))).toEqual(new Set(['moved 1']));
  expect(lines).toEqual([]);
}, 700_000);
