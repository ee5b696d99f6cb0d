import { protocol } from '@turnwire/sdk';
import { describe, expect, it } from 'vitest';
import { type BootstrapSettings, bootstrap } from './bootstrap.ts';

const settings: BootstrapSettings = {
  listen: { host: '127.0.0.1', port: 8081 },
  orchestratorUrl: 'http://127.0.0.1:4000',
  placement: 'local',
  tokenFile: '/run/secrets/turnwire/placement-token',
  caFile: '/etc/ssl/certs/ca-certificates.crt',
};
const health = { host: '0.0.0.0', port: 8082 };
const text = (more: Partial<BootstrapSettings>) => `${JSON.stringify(bootstrap({ ...settings, ...more }), null, 2)}\n`;

describe('the Envoy bootstrap', () => {
  // After a change that is meant: npx vitest run --config .ci/vitest.config.ts custodian/src/envoy -u
  it.each([
    ['http', {}],
    ['https-with-health', { orchestratorUrl: 'https://orchestrator.example:8443/base', health }],
  ])('is, word for word, golden/%s.json', async (name, more) => {
    await expect(text(more)).toMatchFileSnapshot(`golden/${name}.json`);
  });

  it('opens nothing but what was asked for: no admin, and health on its own port alone', () => {
    expect(bootstrap(settings)).not.toHaveProperty('admin');
    const ports = (more: Partial<BootstrapSettings>) => text(more).match(/"port_value": \d+/g);
    expect(ports({})).toEqual(['"port_value": 8081', '"port_value": 4000']);
    expect(ports({ health })).toEqual(['"port_value": 8081', '"port_value": 8082', '"port_value": 4000']);
  });

  it.each([
    ['http://127.0.0.1:4000', 'STATIC', '127.0.0.1', 4000, undefined],
    ['http://[::1]:4000', 'STATIC', '::1', 4000, undefined],
    ['http://orchestrator', 'LOGICAL_DNS', 'orchestrator', 80, undefined],
    ['https://orchestrator', 'LOGICAL_DNS', 'orchestrator', 443, 'DNS'],
    ['https://10.0.0.1', 'STATIC', '10.0.0.1', 443, 'IP_ADDRESS'],
  ])('%s is a %s cluster', (orchestratorUrl, type, address, port, san) => {
    const { static_resources } = bootstrap({ ...settings, orchestratorUrl }) as {
      static_resources: { clusters: [object] };
    };
    const [cluster] = static_resources.clusters;
    expect(cluster).toMatchObject({ type });
    expect(JSON.stringify(cluster)).toContain(JSON.stringify({ address, port_value: port }));
    expect(/"san_type":"(\w+)"/.exec(JSON.stringify(cluster))?.[1]).toBe(san);
  });

  it('takes its numbers and words from the spec', () => {
    const whole = text({});
    expect(whole).toContain(`"connect_timeout": "${protocol.custodian.connectTimeoutMs / 1000}s"`);
    expect(whole).toContain(`"idle_timeout": "${protocol.constants.idleSocketMs / 1000}s"`);
    for (const word of [...protocol.custodian.forwardedHeaders, protocol.custodian.standIn]) {
      expect(whole).toContain(`'${word}'`);
    }
  });
});
