import { describe, expect, it } from 'vitest';
import { Chooser, matches } from './choose.ts';
import { Message } from './http1.ts';
import { parseFaults } from './validate.ts';

describe('a mistake in a script is one line that names the place', () => {
  it.each([
    ['{', /^the script: is not JSON/],
    ['{}', /^steps: is missing/],
    ['{"steps":[{}]}', /^steps\[0\]\.on: must be one of listener, connection, request/],
    ['{"steps":[{"on":"request"}]}', /^steps\[0\]\.fault: is missing/],
    ['{"steps":[{"on":"request","fault":"explode"}]}', /^steps\[0\]\.fault: must be one of pass, /],
    ['{"steps":[{"on":"connection","fault":"refused"}]}', /^steps\[0\]\.fault: must be one of pass, silent/],
    ['{"steps":[{"on":"request","fault":"pass","nth":[2,1]}]}', /^steps\[0\]\.nth: must be \[first, last\]/],
    ['{"steps":[{"on":"request","fault":"pass","chance":2}]}', /^steps\[0\]\.chance: must be a number from 0 to 1/],
    ['{"steps":[{"on":"request","fault":"pass","match":"agents"}]}', /^steps\[0\]\.match: must be a method/],
    ['{"steps":[{"on":"request","fault":"answer"}]}', /^steps\[0\]\.answer: is missing/],
    ['{"steps":[{"on":"request","fault":"pass","afterbytes":1}]}', /^steps\[0\]\.afterbytes: is not known here/],
    ['{"steps":[],"seed":-1}', /^seed: must be a whole number/],
  ])('%s', (source, message) => expect(() => parseFaults(source)).toThrow(message));

  it('takes a whole one', () => {
    const answer = { status: 503, headers: { 'retry-after': '1' }, body: 'later' };
    const steps = [
      { on: 'listener', fault: 'refused', forMs: 10 },
      { on: 'request', match: 'POST /agents/*', nth: [1, 2], fault: 'answer', answer },
    ];
    expect(parseFaults(JSON.stringify({ seed: 3, steps })).steps).toHaveLength(2);
  });
});

describe('which step applies', () => {
  it('`*` stands for any characters, and nothing else is a pattern', () => {
    expect(matches('POST /agents/*/events', 'POST /agents/a.b/events')).toBe(true);
    expect(matches('POST /agents/*/events', 'POST /agents/a/events/x')).toBe(false);
    expect(matches('GET /a.b', 'GET /acb')).toBe(false);
    expect(matches('* /a', 'HEAD /a')).toBe(true);
  });

  it('counts what it matches by itself, and the first that applies wins', () => {
    const chooser = new Chooser({
      steps: [
        { on: 'request', match: 'GET /a', nth: 2, fault: 'silent' },
        { on: 'request', nth: [2, 3], fault: 'garbage' },
      ],
    });
    const chosen = ['GET /b', 'GET /a?x=1', 'GET /a?x=2', 'GET /a'].map((line) => {
      const [method = '', target = ''] = line.split(' ');
      return chooser.request(method, target)?.fault;
    });
    expect(chosen).toEqual([undefined, 'garbage', 'silent', undefined]);
  });
});

describe('where a message ends', () => {
  const inPieces = (message: Message, text: string) => {
    for (const byte of Buffer.from(text, 'latin1')) message.push(Buffer.from([byte]));
    return message;
  };

  it.each([
    ['a request without a body', 'GET / HTTP/1.1\r\nhost: x\r\n\r\n', ''],
    ['a length', 'POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\nab', 'ab'],
    ['chunks', 'POST / HTTP/1.1\r\ntransfer-encoding: Chunked\r\n\r\n2\r\nab\r\n1;x=y\r\nc\r\n0\r\n\r\n', 'abc'],
    ['trailers', 'POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\nt: 1\r\n\r\n', 'a'],
  ])('%s', (_, text, body) => {
    const message = inPieces(Message.request(), `${text}GET /next`);
    expect(message.whole).toBe(true);
    expect(message.bytes.toString()).toBe(text);
    expect(message.rest.toString()).toBe('GET /next');
    expect(message.body.toString()).toBe(body);
  });

  it('an interim answer comes before the answer', () => {
    const message = inPieces(
      Message.answer('GET'),
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\na',
    );
    expect([message.head?.startLine, message.body.toString(), message.whole]).toEqual(['HTTP/1.1 200 OK', 'a', true]);
  });

  it('an answer to HEAD, a 204 and a 304 have no body', () => {
    const head = 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n';
    expect(inPieces(Message.answer('HEAD'), head).whole).toBe(true);
    expect(inPieces(Message.answer('GET'), head).whole).toBe(false);
    for (const status of [204, 304]) {
      expect(inPieces(Message.answer('GET'), `HTTP/1.1 ${status} X\r\n\r\n`).whole).toBe(true);
    }
  });

  it('an answer without framing ends with its connection', () => {
    const message = inPieces(Message.answer('GET'), 'HTTP/1.1 200 OK\r\n\r\nabc');
    expect(message.whole).toBe(false);
    message.ended();
    expect([message.whole, message.body.toString()]).toEqual([true, 'abc']);
  });
});
