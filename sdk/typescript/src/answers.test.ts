/** The rows of the evidence table from the first byte of the request on, each on a real socket, for three clients. */
import { describe, it } from 'vitest';
import { protocol } from './gen/protocol.ts';
import type { Certainty } from './table.ts';
import { type Condition, hold, peer, says } from './testing/condition.ts';

const { headers } = protocol;

/** An answer of ours as bytes. */
function ours(status: number, code: string | undefined, body: string, more = ''): string {
  const lines = [`HTTP/1.1 ${status} Answer`, `${headers.version}: 1`];
  if (code !== undefined) lines.push(`${headers.code}: ${code}`);
  return `${lines.join('\r\n')}\r\n${more}content-length: ${body.length}\r\n\r\n${body}`;
}

const problem = (status: number, code: string, members: object = {}, more = ''): string =>
  ours(status, code, JSON.stringify({ code, status, ...members }), more);
const foreign = (status: number): string => `HTTP/1.1 ${status} Page\r\ncontent-length: 11\r\n\r\n{"page": 1}`;
const receipt = ours(200, undefined, '{"status":"delivered"}');
const headOfReceipt = `HTTP/1.1 200 OK\r\n${headers.version}: 1\r\n`;
const cut = `${headOfReceipt}content-length: 99\r\n\r\n{"status":`;

/** So large that it does not fit the buffers between the two, and is written into a closed connection. */
const large = JSON.stringify({ input: 'x'.repeat(8 * 1024 * 1024) });
/** Milliseconds of attempts whose own timer is the condition. */
const shortly = 400;

const lostAnswers: Record<string, Condition> = {
  'TW-CER-008: accepted, and reset before a byte was read': {
    target: peer({ after: 'connection', end: 'rst' }),
    // The reset can come so early that the connect call itself fails, which is proof.
    certainty: ['unknown', 'never_delivered'],
    evidence: ['reset', 'closed', 'connect_failed'],
  },
  'TW-CER-008: accepted, and closed before a byte was read': {
    target: peer({ after: 'connection', end: 'fin' }),
    certainty: 'unknown',
    evidence: ['reset', 'closed'],
  },
  'TW-CER-008: reset while a long request is written': {
    target: peer({ after: 'first_byte', end: 'rst' }),
    body: large,
    certainty: 'unknown',
    evidence: ['reset', 'closed'],
  },
  'TW-CER-008: reset after the whole request': {
    target: peer({ after: 'request', end: 'rst' }),
    certainty: 'unknown',
    evidence: ['reset'],
  },
  'TW-CER-008: closed after the whole request': {
    target: peer({ after: 'request', end: 'fin' }),
    certainty: 'unknown',
    evidence: ['closed'],
  },
  'TW-CER-008: a pooled socket that dies under its second request': {
    target: peer({ after: 'request', first: receipt, end: 'rst' }),
    warm: 1,
    certainty: 'unknown',
    evidence: ['reset'],
  },
  'TW-CER-008: bytes that are not HTTP': {
    target: says('garbage\r\n\r\n'),
    certainty: 'unknown',
    evidence: ['unparsable'],
  },
  'TW-CER-008: half a status line': { target: says('HTTP/1.1 2'), certainty: 'unknown', evidence: ['closed'] },
  'TW-CER-008: headers without end': {
    target: says(`${headOfReceipt}x: ${'y'.repeat(40_000)}`, 'stall'),
    certainty: 'unknown',
    evidence: ['unparsable'],
  },
  'TW-CER-009: silence, until the attempt’s own timer': {
    target: peer({ after: 'request', end: 'stall' }),
    timeoutMs: shortly,
    certainty: 'unknown',
    evidence: ['attempt_timeout'],
  },
  'TW-CER-009: silence, until the client’s timer for headers, where it has one': {
    target: peer({ after: 'request', end: 'stall' }, { headersTimeout: shortly }),
    timeoutMs: 3_000,
    certainty: 'unknown',
    evidence: ['headers_timeout', 'attempt_timeout'],
  },
  'TW-CER-012: the caller aborts while the peer is silent': {
    target: peer({ after: 'request', end: 'stall' }),
    abortMs: 100,
    certainty: 'unknown',
    evidence: ['caller_aborted'],
  },
};

const brokenAnswers: Record<string, Condition> = {
  'TW-CER-010: our 2xx, cut inside its length': { target: says(cut), certainty: 'delivered', bodyLost: true },
  'TW-CER-010: our 2xx, reset inside its length': { target: says(cut, 'rst'), certainty: 'delivered', bodyLost: true },
  'TW-CER-010: our 2xx, cut after its headers': {
    target: says(`${headOfReceipt}content-length: 99\r\n\r\n`),
    certainty: 'delivered',
    bodyLost: true,
  },
  'TW-CER-010: our 2xx, cut inside a chunk': {
    target: says(`${headOfReceipt}transfer-encoding: chunked\r\n\r\n40\r\n{"st`),
    certainty: 'delivered',
    bodyLost: true,
  },
  'TW-CER-010: our 2xx, whose chunks break': {
    target: says(`${headOfReceipt}transfer-encoding: chunked\r\n\r\n2\r\n{}\r\nno size\r\n`, 'stall'),
    certainty: 'delivered',
    bodyLost: true,
  },
  'TW-CER-010: our 2xx, stalled until the attempt’s own timer': {
    target: says(cut, 'stall'),
    timeoutMs: shortly,
    certainty: 'delivered',
    bodyLost: true,
  },
  'TW-CER-010: our 2xx, stalled until the client’s timer for bodies, where it has one': {
    target: peer({ after: 'request', say: cut, end: 'stall' }, { bodyTimeout: shortly }),
    timeoutMs: 3_000,
    certainty: 'delivered',
    bodyLost: true,
  },
  'TW-CER-010: our 2xx, and broken JSON with a clean end': {
    target: says(ours(200, undefined, '{"status":"deliv')),
    certainty: 'delivered',
    bodyLost: true,
  },
  'TW-CER-010: our 2xx, aborted while its body comes': {
    target: says(cut, 'stall'),
    abortMs: 200,
    certainty: 'delivered',
    bodyLost: true,
  },
  'TW-CER-011: our 422, cut': {
    target: says(`HTTP/1.1 422 No\r\n${headers.version}: 1\r\n${headers.code}: refused\r\ncontent-length: 99\r\n\r\n{`),
    certainty: 'answered',
    code: 'refused',
    bodyLost: true,
  },
  'TW-CER-011: our 503 draining, reset': {
    target: says(
      `HTTP/1.1 503 No\r\n${headers.version}: 1\r\n${headers.code}: draining\r\ncontent-length: 99\r\n\r\n{`,
      'rst',
    ),
    certainty: 'answered',
    code: 'draining',
    bodyLost: true,
  },
  'TW-CER-002: somebody’s 200, cut': {
    target: says('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n<html'),
    certainty: 'unknown',
    bodyLost: true,
  },
};

const wholeAnswers: Record<string, Condition> = {
  'a receipt': { target: says(receipt), certainty: 'delivered' },
  'TW-CER-020: our 301, which nobody follows': {
    target: says(ours(301, undefined, '', 'location: /elsewhere\r\n')),
    certainty: 'answered',
  },
  'TW-CER-013: our 404': { target: says(problem(404, 'turn_over')), certainty: 'answered', code: 'turn_over' },
  ...Object.fromEntries(
    ['draining', 'stopping', 'run_unavailable'].map((code) => [
      `TW-CER-013: our 503 ${code}`,
      { target: says(problem(503, code)), certainty: 'answered', code } as const,
    ]),
  ),
  'TW-CER-014: our 503 with another code': {
    target: says(problem(503, 'store_unavailable')),
    certainty: 'unknown',
    code: 'store_unavailable',
  },
  'TW-CER-014: our 500': { target: says(problem(500, 'internal_error')), certainty: 'unknown' },
  ...Object.fromEntries(
    [200, 301, 401, 404, 408, 429, 502, 503].map((status) => [
      `TW-CER-002: somebody’s ${status}`,
      { target: says(foreign(status)), certainty: 'unknown' } as const,
    ]),
  ),
};

const mark = `${headers.custodian}: ${protocol.custodian.mark}\r\n`;
const custodian = (certainty: Certainty, say: string): Condition => ({
  target: says(say),
  certainty,
  aboutAnotherPeer: true,
});
const custodianAnswers: Record<string, Condition> = {
  'flags of proof': custodian(
    'never_delivered',
    problem(502, 'custodian_unreachable', { flags: ['UF', 'UH', 'DF', 'URX'] }, mark),
  ),
  'one flag that is none': custodian('unknown', problem(502, 'custodian_unreachable', { flags: ['UF', 'UC'] }, mark)),
  'no flags': custodian('unknown', problem(502, 'custodian_unreachable', { flags: [] }, mark)),
  'flags in another case': custodian('unknown', problem(502, 'custodian_unreachable', { flags: ['uf'] }, mark)),
  'no mark': custodian('unknown', problem(502, 'custodian_unreachable', { flags: ['UF'] })),
  'a body that was cut': {
    ...custodian('unknown', ours(502, 'custodian_unreachable', '{"flags":["UF"]', mark)),
    bodyLost: true,
  },
};

describe('the evidence table from the request on, for fetch, undici and our transport', () => {
  it.concurrent.each(Object.entries(lostAnswers))('%s', (_, condition) => hold(condition));
  it.concurrent.each(Object.entries(brokenAnswers))('%s', (_, condition) => hold(condition));
  it.concurrent.each(Object.entries(wholeAnswers))('%s', (_, condition) => hold(condition));
  it.concurrent.each(Object.entries(custodianAnswers))('TW-CER-015: a custodian’s 502, %s', (_, condition) =>
    hold(condition),
  );
});
