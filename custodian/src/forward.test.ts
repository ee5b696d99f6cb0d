import { channel } from 'node:diagnostics_channel';
import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { protocol } from '@turnwire/sdk';
import type { Dispatcher } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Exchange } from './exchange.ts';
import type { Attempt } from './flags.ts';
import { forward, mayResend } from './forward.ts';
import { RETRY_PAUSES_MS } from './limits.ts';
import type { RouteName } from './route.ts';
import { type SentWatch, watchSent } from './sent.ts';

const refused: Attempt = { evidence: 'connect_failed', written: false };
const deadSocket: Attempt = { evidence: 'closed', written: false };
const reset: Attempt = { evidence: 'reset', written: true };

describe('what may go out again (TW-CUS-010, TW-CUS-011)', () => {
  const reads: RouteName[] = ['surface', 'delivery'];
  const others: RouteName[] = ['pick', 'register', 'heartbeat'];

  it.each(reads)('%s: once after a reset, however late', (route) => {
    expect(mayResend(route, [reset], 20_000)).toBe(true);
    expect(mayResend(route, [reset, reset], 0)).toBe(false);
    expect(mayResend(route, [refused], 0)).toBe(true);
    expect(mayResend(route, [refused], 5_000)).toBe(false);
  });

  it.each(others)('%s: twice, while nothing was written, within a second', (route) => {
    for (const attempt of [refused, deadSocket]) {
      expect(mayResend(route, [attempt], 0)).toBe(true);
      expect(mayResend(route, [attempt, attempt], 999)).toBe(true);
      expect(mayResend(route, [attempt, attempt, attempt], 0)).toBe(false);
      expect(mayResend(route, [attempt], 1_000)).toBe(false);
    }
    expect(mayResend(route, [reset], 0)).toBe(false);
    expect(mayResend(route, [refused, reset], 0)).toBe(false);
  });

  it.each([...reads, ...others])('%s: never for a Harness that went away', (route) => {
    expect(mayResend(route, [{ ...refused, caller: 'gone' }], 0)).toBe(false);
  });

  it('all pauses together stay below the window', () => {
    expect(RETRY_PAUSES_MS.reduce((sum, pause) => sum + pause, 0)).toBeLessThan(protocol.custodian.retryWindowMs);
    expect(RETRY_PAUSES_MS).toHaveLength(protocol.custodian.pickRetries);
  });
});

describe('a pooled socket that dies, told by undici’s channels alone', () => {
  let sent: SentWatch;
  beforeEach(() => {
    sent = watchSent();
  });
  afterEach(() => sent.close());

  /** Fails each dispatch with the same reset; whether the head had been written is all that differs. */
  const dying = (written: boolean) => {
    let dispatches = 0;
    const dispatch: Dispatcher['dispatch'] = (_, handler) => {
      dispatches++;
      const request = {};
      channel('undici:request:create').publish({ request });
      if (written) channel('undici:client:sendHeaders').publish({ request });
      const error = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' });
      queueMicrotask(() => handler.onResponseError?.({} as Dispatcher.DispatchController, error));
      return true;
    };
    return { dispatcher: { dispatch } as Dispatcher, count: () => dispatches };
  };
  const exchange = (method: string): Exchange => {
    const outgoing = Object.assign(new EventEmitter(), { headersSent: false, destroyed: false });
    return {
      method,
      target: '/',
      headers: [],
      incoming: { socket: {}, complete: true } as IncomingMessage,
      outgoing: outgoing as unknown as ServerResponse,
      cut: () => expect.unreachable(),
    };
  };
  const run = async (route: RouteName, method: string, written: boolean) => {
    const { dispatcher, count } = dying(written);
    const outcome = await forward({ origin: 'http://o', base: '', dispatcher, sent }, route, exchange(method));
    return { ...outcome, dispatches: count() };
  };

  it('a pick of which nothing was written goes out three times, and that is proof', async () => {
    expect(await run('pick', 'POST', false)).toMatchObject({ dispatches: 3, attempts: 3, flags: ['URX'] });
  });

  it('a pick that was written goes out once, and that is none', async () => {
    expect(await run('pick', 'POST', true)).toMatchObject({ dispatches: 1, flags: ['UR'] });
  });

  it('a read goes out once more either way', async () => {
    expect(await run('delivery', 'GET', true)).toMatchObject({ dispatches: 2, flags: ['UR'] });
    expect(await run('surface', 'GET', false)).toMatchObject({ dispatches: 2, flags: ['URX'] });
  });
});
