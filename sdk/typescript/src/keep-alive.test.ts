import { Agent } from 'undici';
import { expect, it } from 'vitest';
import { race } from './testing/keep-alive.ts';

it.concurrent.each<[string, (() => Agent) | undefined]>([
  ['its own sockets', undefined],
  ['a caller’s dispatcher', () => new Agent()],
])(
  'TW-RET-028: picks every 4,990–5,010 ms to a server that closes idle sockets at 5 s: none fails or is doubled, on %s',
  async (_, dispatcher) => {
    const { outcomes, lines, arrived, sent } = await race(3, dispatcher);
    expect([...arrived].sort()).toEqual([...sent].sort());
    expect(new Set(outcomes.map(({ code, attempts }) => `${code} ${attempts}`))).toEqual(new Set(['moved 1']));
    expect(lines).toEqual([]);
  },
);
