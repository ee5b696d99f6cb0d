/** Anything that can be thrown, for properties. For tests only. */
import fc from 'fast-check';

/** An error that proves that nothing was sent. */
export const proof: fc.Arbitrary<unknown> = fc
  .constantFrom('ECONNREFUSED', 'ETIMEDOUT', 'EMFILE')
  .map((code) => Object.assign(new Error(`connect ${code} 127.0.0.1:1`), { code, syscall: 'connect' }));

/** Errors, plain objects, primitives, nested, aggregated, cyclic, frozen, hostile. */
export const thrown: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  any: fc.oneof({ maxDepth: 4 }, fc.anything(), tie('error'), tie('aggregate'), tie('hostile'), tie('cyclic'), proof),
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
  cyclic: fc.tuple(tie('error'), fc.boolean()).map(([error, inMembers]) => {
    const round = new Error('round', { cause: error });
    return Object.assign(error as object, inMembers ? { errors: [round, error] } : { cause: round });
  }),
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
