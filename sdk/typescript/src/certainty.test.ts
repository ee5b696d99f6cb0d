import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Attempted, classify } from './certainty.ts';
import { protocol } from './gen/protocol.ts';
import { thrown } from './testing/thrown.ts';

const { headers } = protocol;
const codes = Object.keys(protocol.problemCodes);
const value = fc.oneof(fc.constantFrom('', '1', protocol.custodian.mark, ...codes), fc.string(), fc.array(fc.string()));
const body = fc.oneof(
  fc.jsonValue(),
  fc.json(),
  fc.record({ code: fc.oneof(fc.constantFrom(...codes), fc.jsonValue()), flags: fc.jsonValue() }),
);
const answer = fc.record(
  {
    status: fc.integer({ min: 200, max: 599 }),
    headers: fc.dictionary(fc.constantFrom(...Object.values(headers), 'Turnwire-Version', 'x'), value),
    body,
    bodyLost: fc.boolean(),
  },
  { requiredKeys: ['status', 'headers'] },
);
const attempted: fc.Arbitrary<Attempted> = fc
  .record(
    {
      kind: fc.oneof(fc.constantFrom(...Object.keys(protocol.evidence)), fc.string()),
      error: thrown,
      aborted: fc.boolean(),
      response: answer,
    },
    { requiredKeys: [] },
  )
  .map((made) => made as Attempted);

describe('classify', () => {
  it('yields a class for any attempt whatever, and never throws', () => {
    fc.assert(
      fc.property(attempted, (of) => {
        const { certainty, taken } = classify(of);
        expect(['never_delivered', 'unknown', 'delivered', 'answered']).toContain(certainty);
        if (certainty === 'unknown') expect(taken).toBeUndefined();
        else expect(taken).toBe(certainty === 'delivered');
      }),
      { numRuns: 1_000 },
    );
  });

  it('TW-CER-002: without the version no answer is more than doubt', () => {
    fc.assert(
      fc.property(answer, (response) => {
        const named = Object.entries(response.headers).filter(([name]) => name.toLowerCase() !== headers.version);
        expect(classify({ response: { ...response, headers: Object.fromEntries(named) } })).toEqual({
          certainty: 'unknown',
        });
      }),
    );
  });

  it('TW-CER-010, TW-CER-011: an answer that came outlives any error and any abort', () => {
    fc.assert(
      fc.property(answer, thrown, fc.boolean(), (response, error, aborted) => {
        expect(classify({ response, error, aborted })).toEqual(classify({ response }));
      }),
    );
  });

  it('TW-CER-012: an abort without an answer is doubt, whatever else is known', () => {
    fc.assert(
      fc.property(attempted, ({ response: _, ...of }) => {
        expect(classify({ ...of, aborted: true }).certainty).toBe('unknown');
      }),
    );
  });
});
