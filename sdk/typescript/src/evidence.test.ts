import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classify } from './certainty.ts';
import { nodeEvidence } from './evidence.ts';
import { protocol } from './gen/protocol.ts';

const refused = () => Object.assign(new Error('connect'), { code: 'ECONNREFUSED', syscall: 'connect' });
const certaintyOf = (error: unknown) => classify({ error }).certainty;

/** Anything that can be thrown: errors, plain objects, primitives, nested, aggregated, cyclic, frozen, hostile. */
const thrown: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  any: fc.oneof({ maxDepth: 4 }, fc.anything(), tie('error'), tie('aggregate'), tie('hostile')),
  error: fc
    .record(
      {
        name: fc.constantFrom('Error', 'TypeError', 'AbortError', 'TimeoutError', 'AggregateError', 'x'),
        code: fc.oneof(fc.constantFrom('ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'CERT_X', ''), fc.anything()),
        syscall: fc.oneof(fc.constantFrom('connect', 'read', 'getaddrinfo', ''), fc.anything()),
        cause: tie('any'),
        errors: fc.oneof(fc.constant(undefined), fc.array(tie('any'), { maxLength: 3 })),
      },
      { requiredKeys: [] },
    )
    .map((members) => Object.assign(Object.create(Error.prototype), members)),
  aggregate: fc.array(tie('any'), { maxLength: 4 }).map((members) => new AggregateError(members)),
  hostile: tie('any').map(
    (inner) =>
      new Proxy(Object(inner), {
        get(target, name) {
          if (name === 'code' || name === 'errors') throw new Error('no');
          return Reflect.get(target, name);
        },
        getPrototypeOf: () => {
          throw new Error('no');
        },
      }),
  ),
})).any;

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
    fc.assert(
      fc.property(fc.array(thrown, { maxLength: 4 }), thrown, fc.nat(4), (members, added, at) => {
        fc.pre(certaintyOf(added) !== 'never_delivered');
        const more = [...members.slice(0, at), added, ...members.slice(at)];
        expect(certaintyOf(new AggregateError(more))).toBe('unknown');
      }),
    );
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
