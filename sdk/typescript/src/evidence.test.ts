import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classify } from './certainty.ts';
import { nodeEvidence } from './evidence.ts';
import { protocol } from './gen/protocol.ts';
import { proof, thrown } from './testing/thrown.ts';

const refused = () => Object.assign(new Error('connect'), { code: 'ECONNREFUSED', syscall: 'connect' });
const certaintyOf = (error: unknown) => classify({ error }).certainty;

describe('nodeEvidence', () => {
  it('TW-CER-016: any error whatever yields a name of the table and never throws', () => {
    fc.assert(
      fc.property(thrown, (error) => {
        expect(Object.keys(protocol.evidence)).toContain(nodeEvidence(error));
        nodeEvidence(typeof error === 'object' && error !== null ? Object.freeze(error) : error);
      }),
      { numRuns: 500 },
    );
  });

  it('TW-CER-017: a member that is no proof never strengthens an aggregate', () => {
    const members = fc.oneof(fc.array(thrown, { maxLength: 4 }), fc.array(proof, { minLength: 1, maxLength: 4 }));
    fc.assert(
      fc.property(members, thrown, fc.nat(4), (proofs, added, at) => {
        fc.pre(certaintyOf(added) !== 'never_delivered');
        const more = [...proofs.slice(0, at), added, ...proofs.slice(at)];
        expect(certaintyOf(new AggregateError(more))).toBe('unknown');
        expect(certaintyOf(new TypeError('fetch failed', { cause: new AggregateError(more) }))).toBe('unknown');
      }),
    );
  });

  it('TW-CER-017: proofs alone are proof, however they are nested', () => {
    fc.assert(
      fc.property(fc.array(proof, { minLength: 1, maxLength: 4 }), proof, (proofs, one) => {
        expect(certaintyOf(new AggregateError(proofs))).toBe('never_delivered');
        expect(certaintyOf(new AggregateError([new AggregateError(proofs), one]))).toBe('never_delivered');
      }),
    );
  });

  it('TW-CER-019: a graph of errors that is too large to walk proves nothing, and is not walked for ever', () => {
    let level: unknown[] = [refused()];
    for (let depth = 1; depth < protocol.causeDepth; depth++) {
      const below = level;
      level = Array.from({ length: 50 }, () => new AggregateError(below));
    }
    expect(certaintyOf(new AggregateError(level))).toBe('unknown');
    expect(certaintyOf(Object.assign(new Error('x'), { errors: new Array(1e9) }))).toBe('unknown');
  });

  it('TW-CER-016: a cycle, a shared cause and a frozen error are tolerated', () => {
    const round: Error & { cause?: unknown } = new Error('round');
    round.cause = round;
    expect(certaintyOf(round)).toBe('unknown');
    const shared = refused();
    expect(certaintyOf(new AggregateError([shared, shared]))).toBe('never_delivered');
    expect(certaintyOf(Object.freeze(new TypeError('fetch failed', { cause: Object.freeze(shared) })))).toBe(
      'never_delivered',
    );
  });

  it('TW-CER-016: the eighth level counts, the ninth does not', () => {
    const wrapped = (levels: number): unknown => {
      let error: unknown = refused();
      for (let level = 1; level < levels; level++) error = new Error('wrapper', { cause: error });
      return error;
    };
    expect(certaintyOf(wrapped(protocol.causeDepth))).toBe('never_delivered');
    expect(certaintyOf(wrapped(protocol.causeDepth + 1))).toBe('unknown');
  });

  it('TW-CER-019: what cannot be read is not taken for absent', () => {
    const hostile = Object.defineProperty(Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), 'syscall', {
      get() {
        throw new Error('no');
      },
    });
    expect(certaintyOf(hostile)).toBe('unknown');
    const members = Object.defineProperty(refused(), 'errors', {
      get() {
        throw new Error('no');
      },
    });
    expect(certaintyOf(members)).toBe('unknown');
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(certaintyOf(proxy)).toBe('unknown');
    expect(certaintyOf(Object.assign(new Error('x'), { errors: proxy }))).toBe('unknown');
  });

  it('TW-CER-012: the abort of the caller counts more than what looks like proof', () => {
    expect(classify({ error: refused(), aborted: true })).toMatchObject({
      certainty: 'unknown',
      evidence: 'caller_aborted',
    });
  });

  it('a kind that is not of the table proves nothing', () => {
    expect(classify({ kind: 'made_up' })).toEqual({ certainty: 'unknown', evidence: 'unexplained' });
    expect(classify({ kind: 'constructor' })).toMatchObject({ certainty: 'unknown' });
  });
});
