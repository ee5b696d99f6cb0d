import { describe, expect, it } from 'vitest';
import { type RawRequest, route } from './route.ts';

const rules = {
  placement: 'local',
  standIn: 'stand-in',
  forwardedHeaders: new Set(['accept', 'content-type', 'traceparent']),
  bodyLimitBytes: 100,
};
const AUTH = ['Authorization', 'Bearer stand-in'];
const ask = (method: string, target: string, rawHeaders: string[] = AUTH): RawRequest => ({
  method,
  target,
  rawHeaders,
});
const verdict = (request: RawRequest) => {
  const routed = route(request, rules);
  return routed.kind === 'forward' ? routed.route : routed.code;
};

describe('what is forwarded', () => {
  it.each([
    ['GET', '/agents/a.b~c_d-e/surface', 'surface'],
    ['GET', '/agents/a/surface?x=1', 'surface'],
    ['POST', '/agents/a/events', 'pick'],
    ['GET', '/agents/a/deliveries/d-1?wait=25', 'delivery'],
    ['GET', '/agents/a/deliveries/d%3A1', 'delivery'],
    ['PUT', '/nodes/local', 'register'],
    ['POST', '/nodes/local/heartbeat', 'heartbeat'],
  ])('%s %s', (method, target, expected) => {
    expect(verdict(ask(method, target))).toBe(expected);
  });

  it('passes on the listed headers alone, and never the caller’s Authorization', () => {
    const routed = route(
      ask('GET', '/agents/a/surface', [...AUTH, 'Accept', 'x', 'Cookie', 'y', 'X-Api-Key', 'z', 'Traceparent', 't']),
      rules,
    );
    expect(routed).toMatchObject({ headers: ['accept', 'x', 'traceparent', 't'] });
  });
});

describe('what is not', () => {
  it.each([
    ['GET', '/'],
    ['GET', '/runs'],
    ['POST', '/agents/a/surface'],
    ['GET', '/agents/a/events'],
    ['GET', '/agents/a/surface/'],
    ['GET', '//agents/a/surface'],
    ['GET', '/agents//surface'],
    ['GET', '/agents/a;b/surface'],
    ['GET', '/agents/a/surface;x'],
    ['GET', '/agents/a/deliveries/d;x'],
    ['GET', '/agents/%00/surface'],
    ['GET', `/agents/${'a'.repeat(129)}/surface`],
    ['GET', '/agents/a/deliveries/'],
    ['GET', '/agents/a/deliveries/a%20b'],
    ['DELETE', '/nodes/local'],
    ['PUT', '/nodes/other'],
    ['POST', '/nodes/other/heartbeat'],
    ['TRACE', '/agents/a/surface'],
    ['GET', '/Agents/a/surface'],
  ])('%s %s is its own 404', (method, target) => {
    expect(verdict(ask(method, target))).toBe('no_route');
  });

  it.each([
    ['a dot segment', ask('GET', '/agents/../runs')],
    ['an encoded dot segment', ask('GET', '/agents/%2e%2e/surface')],
    ['an encoded slash', ask('GET', '/agents/a%2fb/surface')],
    ['a backslash', ask('GET', '/agents/a\\b/surface')],
    ['a fragment', ask('GET', '/agents/a/surface#x')],
    ['half an escape', ask('GET', '/agents/%2/surface')],
    ['an absolute target', ask('GET', 'http://other/agents/a/surface')],
    ['an authority', ask('CONNECT', 'other:443')],
    ['a very long target', ask('GET', `/agents/a/surface?${'x'.repeat(3000)}`)],
    ['two Authorization headers', ask('GET', '/agents/a/surface', [...AUTH, ...AUTH])],
    ['a malformed Authorization', ask('GET', '/agents/a/surface', ['Authorization', 'Bearer  stand-in'])],
    ['an underscore in a name', ask('GET', '/agents/a/surface', [...AUTH, 'x_api_key', '1'])],
    ['another transfer encoding', ask('POST', '/agents/a/events', [...AUTH, 'Transfer-Encoding', 'gzip, chunked'])],
    ['two lengths', ask('POST', '/agents/a/events', [...AUTH, 'Transfer-Encoding', 'chunked', 'Content-Length', '3'])],
    ['an upgrade', ask('GET', '/agents/a/surface', [...AUTH, 'Upgrade', 'websocket'])],
  ])('%s is refused 400', (_, request) => {
    expect(verdict(request)).toBe('bad_request');
  });

  it('a body over the limit is refused 413, but not to a caller without the stand-in', () => {
    const long = ['Content-Length', '101'];
    expect(verdict(ask('POST', '/agents/a/events', [...AUTH, ...long]))).toBe('too_large');
    expect(verdict(ask('POST', '/agents/a/events', [...AUTH, 'Content-Length', '100']))).toBe('pick');
    expect(verdict(ask('POST', '/agents/a/events', long))).toBe('stand_in_missing');
  });

  it.each([
    ['no stand-in', []],
    ['another token', ['Authorization', 'Bearer other']],
    ['a longer one', ['Authorization', 'Bearer stand-in2']],
    ['another scheme', ['Authorization', 'Basic stand-in']],
    ['lower case', ['Authorization', 'bearer stand-in']],
    ['another header', ['Proxy-Authorization', 'Bearer stand-in']],
  ])('%s is refused 403', (_, headers) => {
    expect(verdict(ask('GET', '/agents/a/surface', headers))).toBe('stand_in_missing');
  });
});
