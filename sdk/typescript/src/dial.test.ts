/** The rows of the evidence table that come before a request is written, each on a real socket, for three clients. */
import type { LookupFunction } from 'node:net';
import { describe, expect, it } from 'vitest';
import { fullQueue } from '../../../contract-tests/src/faults/full-queue.ts';
import { classify } from './certainty.ts';
import { protocol } from './gen/protocol.ts';
import { connect, orchestratorInfo } from './index.ts';
import { type Certificate, type Certificates, makeCertificates } from './testing/certificates.ts';
import { type Condition, hold, type Target } from './testing/condition.ts';
import { listener } from './testing/listener.ts';
import { freePort } from './testing/peer.ts';
import { dialFrom, forbids, type Place } from './testing/place.ts';
import { faultOf } from './testing/stage.ts';

/** Milliseconds; undici's coarse timers make about a second of it. */
const connectMs = 300;

/** A lookup that finds all of these. */
const finds = (...addresses: string[]): LookupFunction =>
  ((_name: string, _options: object, done: (error: null, found: object[]) => void) =>
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )) as unknown as LookupFunction;

const synDrop = async (agent?: Target['agent']): Promise<Target> => {
  const queue = await fullQueue('127.0.0.1', 0);
  return { origin: `http://127.0.0.1:${queue.port}`, close: queue.close, ...(agent && { agent }) };
};

const never = 'never_delivered' as const;
const dials: Record<string, Condition> = {
  'TW-CER-003: a refused port': {
    target: async () => ({ origin: `http://127.0.0.1:${await freePort()}` }),
    certainty: never,
    evidence: ['connect_failed'],
  },
  'TW-CER-003: a name that does not resolve': {
    target: async () => ({ origin: 'http://nobody.invalid' }),
    certainty: never,
    evidence: ['lookup_failed'],
  },
  'TW-CER-004: a dropped SYN, when the connect timer runs out': {
    target: () => synDrop({ connect: { timeout: connectMs } }),
    certainty: never,
    evidence: ['connect_timeout'],
  },
  'TW-CER-009: a dropped SYN, when the attempt’s own timer runs out first': {
    target: () => synDrop(),
    timeoutMs: 200,
    certainty: 'unknown',
    evidence: ['attempt_timeout'],
  },
  'TW-CER-012: a dropped SYN, when the caller aborts': {
    target: () => synDrop(),
    abortMs: 100,
    certainty: 'unknown',
    evidence: ['caller_aborted'],
  },
  'TW-CER-017: two addresses that both refuse': {
    target: async () => ({
      origin: `http://both.test:${await freePort()}`,
      agent: { connect: { lookup: finds('127.0.0.1', '::1') } },
    }),
    certainty: never,
    evidence: ['connect_failed'],
  },
  'TW-CER-017: an address that refuses, and one that drops SYNs': {
    async target() {
      const queue = await fullQueue('127.0.0.1', 0);
      const lookup = finds('127.0.0.2', '127.0.0.1');
      const agent = { connect: { lookup, timeout: connectMs, autoSelectFamilyAttemptTimeout: 50 } };
      return { origin: `http://both.test:${queue.port}`, agent, close: queue.close };
    },
    certainty: never,
    evidence: ['connect_failed', 'connect_timeout'],
  },
  'an address that refuses, and one that answers: the answer counts': {
    async target() {
      const say = `HTTP/1.1 404 No\r\n${protocol.headers.version}: 1\r\n${protocol.headers.code}: turn_over\r\n\r\n`;
      const peer = await listener({ after: 'request', say, end: 'fin' });
      const lookup = finds('127.0.0.2', '127.0.0.1');
      return { origin: `http://both.test:${peer.port}`, agent: { connect: { lookup } }, peer };
    },
    certainty: 'answered',
    code: 'turn_over',
  },
};

describe('the evidence table before the request, for fetch, undici and our transport', () => {
  it.concurrent.each(Object.entries(dials))('%s', (_, condition) => hold(condition));
});

const withTls = async (certificate: Certificate, more: object = {}, connectWith: object = {}): Promise<Target> => {
  const { key, cert, ca } = certificate;
  const peer = await listener({ after: 'request', end: 'fin' }, { key, cert, ...more });
  return { origin: `https://127.0.0.1:${peer.port}`, agent: { connect: { ...(ca && { ca }), ...connectWith } }, peer };
};

const overTls: Record<string, (made: Certificates) => Condition> = {
  'TW-CER-006: a certificate that is signed by itself': ({ selfSigned }) => refused(selfSigned),
  'TW-CER-006: a certificate for another name': ({ otherName }) => refused(otherName),
  'TW-CER-006: a certificate that is out of date': ({ expired }) => refused(expired),
  'TW-CER-006: a certificate of an authority that nobody knows': ({ unknownIssuer }) => refused(unknownIssuer),
  'TW-CER-007: no TLS version in common': ({ selfSigned }) => ({
    target: () => withTls(selfSigned, { maxVersion: 'TLSv1.2' }, { minVersion: 'TLSv1.3' }),
    certainty: 'unknown',
    evidence: ['tls_failed'],
  }),
  'TW-CER-010: our answer over TLS, cut': ({ selfSigned }) => ({
    async target() {
      const say = `HTTP/1.1 200 OK\r\n${protocol.headers.version}: 1\r\ncontent-length: 9\r\n\r\n{`;
      const peer = await listener({ after: 'request', say, end: 'fin' }, selfSigned);
      const agent = { connect: { ca: selfSigned.cert } };
      return { origin: `https://127.0.0.1:${peer.port}`, agent, peer };
    },
    certainty: 'delivered',
    bodyLost: true,
  }),
};

const refused = (certificate: Certificate): Condition => ({
  target: () => withTls(certificate),
  certainty: never,
  evidence: ['tls_rejected'],
  permanent: true,
});

describe('the evidence table where TLS is spoken, or not', () => {
  const made = makeCertificates();
  it.for(Object.entries(overTls))('%s', async ([, make], { skip }) => {
    if (made === undefined) return skip('there is no openssl here');
    await hold(make(made));
  });

  it.each<[string, Condition['certainty'], Condition['evidence'], string | undefined, 'fin' | 'rst']>([
    ['TW-CER-006: a peer that speaks plain HTTP', never, ['tls_rejected'], 'HTTP/1.1 400 No\r\n\r\n', 'fin'],
    ['TW-CER-007: a reset before the connection is secure', 'unknown', ['reset'], undefined, 'rst'],
    ['TW-CER-007: an end before the connection is secure', 'unknown', ['reset', 'closed'], undefined, 'fin'],
  ])('%s', async (_, certainty, evidence, say, end) => {
    await hold({
      async target() {
        const peer = await listener({ after: 'first_byte', ...(say && { say }), end });
        // What it reads is no request but the client's greeting.
        return { origin: `https://127.0.0.1:${peer.port}`, close: peer.close };
      },
      certainty,
      ...(evidence && { evidence }),
      permanent: certainty === never,
    });
  });
});

const noRoute = (kind: string) => ['ip link set lo up', `ip route add ${kind} 10.0.0.0/8`];
// So that the system gives a dial up after 3 s, before anybody's own timer does.
const impatient = ['ip link set lo up', 'echo 1 > /proc/sys/net/ipv4/tcp_syn_retries'];
const places: Record<string, Place> = {
  ENETUNREACH: { to: 'http://10.1.2.3:8080', setUp: ['true'] },
  EHOSTUNREACH: { to: 'http://10.1.2.3:8080', setUp: noRoute('unreachable') },
  EACCES: { to: 'http://10.1.2.3:8080', setUp: noRoute('prohibit') },
  ETIMEDOUT: {
    to: new URL('../../../contract-tests/src/faults/full-queue.ts', import.meta.url).href,
    setUp: impatient,
  },
  EMFILE: { to: 'http://127.0.0.1:8080', exhausted: true },
};

describe('dials that take their time', { concurrent: true, timeout: 40_000 }, () => {
  it.for(Object.entries(places))('TW-CER-003: the connect call fails with %s', async ([errno, place], { skip }) => {
    const why = forbids(place);
    if (why !== undefined) return skip(why);
    const verdicts = Object.entries(await dialFrom(place));
    expect(verdicts).toHaveLength(3);
    for (const [client, verdict] of verdicts) {
      expect(verdict, client).toEqual({ certainty: never, taken: false, evidence: 'connect_failed', last: errno });
    }
  });

  it('TW-RET-027: a dropped SYN is told from a slow answer after 10 s', async () => {
    const { origin, close } = await synDrop();
    const connection = connect({ baseUrl: origin });
    try {
      const started = performance.now();
      const fault = await faultOf(orchestratorInfo(connection, { windowMs: 0, attemptMs: 15_000 }));
      const ms = performance.now() - started;
      expect(fault).toMatchObject({ certainty: never, code: 'unreachable', attempts: 1 });
      expect(classify({ error: fault.cause }).evidence).toBe('connect_timeout');
      expect(ms).toBeGreaterThan(protocol.constants.connectTimeoutMs - 100);
      expect(ms).toBeLessThan(protocol.constants.connectTimeoutMs + 2_000);
    } finally {
      await connection.close();
      await close?.();
    }
  });
});
