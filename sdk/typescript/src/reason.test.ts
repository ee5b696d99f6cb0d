import { expect, it } from 'vitest';
import { errorReason } from './reason.ts';

it('a reason is one line, whatever OpenSSL says', () => {
  const said = '80ECC:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:record.c:350:\n';
  const reason = errorReason(Object.assign(new Error(said), { code: 'ERR_SSL_WRONG_VERSION_NUMBER' }));
  expect(reason).toBe(`${said.trim()} (ERR_SSL_WRONG_VERSION_NUMBER)`);
});

it('an error that says nothing but white space says nothing', () => {
  expect(errorReason(new Error(' \n '))).toBe('an error without a message');
});
