import { describe, expect, it } from 'vitest';
import { registration } from './nodes.fixture.ts';
import type { NodeRegistration } from './port.ts';
import { registrationOf, registrationProblems } from './registration.ts';

const ofUrl = async (baseUrl: string) => (await registrationProblems(registration({ baseUrl })))[0]?.message;

describe('a registration', () => {
  it.each([
    'http://127.0.0.1:8080',
    'http://localhost:8080/',
    'http://10.0.0.7:80/harness',
    'https://[fd00::7]:8443',
    'http://harness.team-a.svc.cluster.local',
    'http://169.253.1.1',
  ])('TW-NOD-004: may be at %s', async (url) => expect(await ofUrl(url)).toBeUndefined());

  it.each([
    ['', 'http or https'],
    ['127.0.0.1:8080', 'http or https'],
    ['/harness', 'http or https'],
    ['http://', 'http or https'],
    ['file:///etc/passwd', 'http or https'],
    ['ftp://host', 'http or https'],
    ['javascript:alert(1)', 'http or https'],
    ['http://user:secret@host', 'credentials'],
    ['http://user@host', 'credentials'],
    ['http://host?a=b', 'query or a fragment'],
    ['http://host/?', 'query or a fragment'],
    ['http://host#', 'query or a fragment'],
    ['http://0.0.0.0:8080', 'link-local'],
    ['http://[::]:8080', 'link-local'],
    ['http://169.254.169.254/latest', 'link-local'],
    ['http://0xa9fea9fe', 'link-local'],
    ['http://2852039166', 'link-local'],
    ['http://169.254.169.254.', 'link-local'],
    ['http://[::ffff:169.254.169.254]', 'link-local'],
    ['http://[fe80::1]', 'link-local'],
  ])('TW-NOD-004: may not be at %s', async (url, why) => expect(await ofUrl(url)).toContain(why));

  it('never repeats a credential in its answer', async () => {
    expect(JSON.stringify(await registrationProblems(registration({ baseUrl: 'http://u:hunter2@h' })))).not.toContain(
      'hunter2',
    );
  });

  it('TW-NOD-005: names an agent once, and its output is a schema that can be used', async () => {
    const agents = [
      { name: 'a', output: { type: 'object', properties: { at: { type: 'string', format: 'date-time' } } } },
      { name: 'b', output: true },
      { name: 'a' },
      { name: 'c', output: { type: 'strin' } },
      { name: 'd', output: { $ref: 'http://elsewhere/schema.json' } },
      { name: 'e', output: { type: 'string', pattern: '(' } },
      { name: 'f', output: { $id: 'https://a.example/x', type: 'string' } },
      { name: 'g', output: { $id: 'https://a.example/x', type: 'number' } },
    ];
    expect((await registrationProblems(registration({ agents }))).map(({ path }) => path)).toEqual([
      '/agents/2/name',
      '/agents/3/output',
      '/agents/4/output',
      '/agents/5/output',
    ]);
  });

  it('TW-GEN-012: keeps what this version knows, and no slash at the end', () => {
    const said = registration({ baseUrl: 'http://host/harness/', version: '1', store: 's' });
    const body = { ...said, more: 1, agents: [{ name: 'a', output: true, more: 2 }] } as unknown as NodeRegistration;
    expect(registrationOf(body)).toEqual({
      ...said,
      baseUrl: 'http://host/harness',
      agents: [{ name: 'a', output: true }],
    });
  });
});
