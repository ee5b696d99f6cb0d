import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { harnessInfo, TurnwireFault } from './index.ts';
import { errorReason } from './reason.ts';
import { freePort, ours } from './testing/peer.ts';
import { faultOf, stage } from './testing/stage.ts';
import { thrown } from './testing/thrown.ts';

const { peerOf, connected } = stage();
const about = { seat: 'mine', address: 'http://h' };
const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), {
  code: 'ECONNREFUSED',
  syscall: 'connect',
});

describe('TurnwireFault', () => {
  it('is made from anything, judged by the same table', () => {
    const proof = TurnwireFault.from(new TypeError('fetch failed', { cause: refused }), about);
    expect(proof).toMatchObject({ certainty: 'never_delivered', code: 'unreachable', seat: 'mine', permanent: false });
    expect(proof.message).toBe('mine: connect ECONNREFUSED 127.0.0.1:1 after 1 attempt in 0 ms');
    expect(TurnwireFault.from(proof, { seat: 'other', address: '' })).toBe(proof);
    expect(TurnwireFault.from('just a string', about)).toMatchObject({ certainty: 'unknown', code: 'unknown' });
    expect(TurnwireFault.from(undefined, { ...about, code: 'aborted' }).code).toBe('aborted');
  });

  it('is made from anything whatever, and has a message and a certainty of a failure without an answer', () => {
    fc.assert(
      fc.property(thrown, (error) => {
        const fault = TurnwireFault.from(error, about);
        expect(fault.message).toMatch(/^mine: .+ after 1 attempt in 0 ms$/s);
        expect(['never_delivered', 'unknown']).toContain(fault.certainty);
      }),
      { numRuns: 500 },
    );
  });

  it('TW-RET-021: never says a bare "fetch failed", and names each member of an aggregate', () => {
    const other = Object.assign(new Error('connect ECONNREFUSED ::1:1'), { code: 'ECONNREFUSED', syscall: 'connect' });
    const aggregate = Object.assign(new AggregateError([other, refused], ''), { code: 'ECONNREFUSED' });
    const reason = errorReason(new TypeError('fetch failed', { cause: aggregate }));
    expect(reason).toBe('connect ECONNREFUSED ::1:1, connect ECONNREFUSED 127.0.0.1:1');
    expect(errorReason(Object.assign(new Error('no luck'), { code: 'EPIPE' }))).toBe('no luck (EPIPE)');
    expect(
      errorReason(
        new Proxy(new Error('x'), {
          get: () => {
            throw new Error('no');
          },
        }),
      ),
    ).toContain('without a message');
    expect(errorReason(new Error('y'.repeat(9000))).length).toBeLessThan(600);
  });
});

describe('many calls at once', () => {
  it('share a signal and a connection without a warning, and dial anew together', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    const { signal } = new AbortController();
    const info = { role: 'harness', version: '1', software: { name: 'x', version: '1' }, store: 's', capabilities: {} };
    const peer = await peerOf((_, count) => (count <= 50 ? 'reset' : ours(200, info)));
    const { connection, lines } = connected(peer.url);
    const calls = Array.from({ length: 50 }, () => harnessInfo(connection, { signal }));
    expect((await Promise.all(calls)).every(({ store }) => store === 's')).toBe(true);
    expect(peer.seen).toHaveLength(100);
    expect(lines).toHaveLength(50);
    const down = connected(`http://127.0.0.1:${await freePort()}`);
    const faults = await Promise.all(
      Array.from({ length: 50 }, () => faultOf(harnessInfo(down.connection, { signal, windowMs: 0 }))),
    );
    expect(faults.every(({ code }) => code === 'unreachable')).toBe(true);
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });
});
