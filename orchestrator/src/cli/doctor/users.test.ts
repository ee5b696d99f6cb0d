import { describe, expect, it } from 'vitest';
import { checkUsers, listenerOf } from './users.ts';

const table = (...rows: [port: number, state: string, uid: number][]) =>
  [
    '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode',
    ...rows.map(([port, state, uid], index) => {
      const local = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
      return `   ${index}: ${local} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000  ${uid}        0 4711 1 0 100 0 0 10 0`;
    }),
  ].join('\n');
const urls = { custodian: 'http://127.0.0.1:8081', harness: 'http://localhost:8080' };

describe('whose socket listens at a port', () => {
  it('is the user of the row that listens there, in any of the tables', () => {
    const tables = [table([8081, '01', 5], [8080, '0A', 7]), table([8081, '0A', 6])];
    expect([8081, 8080, 80].map((port) => listenerOf(port, tables))).toEqual([6, 7, undefined]);
  });
});

describe('the users of the Custodian and the Harness', () => {
  it.each([
    ['the same user', 1000, 1000, /as the harness: what an agent executes can read the token/],
    ['a Harness that is root', 1000, 0, /the harness runs as root/],
  ])('%s is a warning, and no failure', (_, custodian, harness, detail) => {
    const [finding] = checkUsers(urls, [table([8081, '0A', custodian], [8080, '0A', harness])]);
    expect(finding).toMatchObject({ ok: true, warning: true, remedy: 'run the Custodian as a user of its own' });
    expect(finding?.detail).toMatch(detail);
  });

  it('another user is well', () => {
    const [finding] = checkUsers(urls, [table([8081, '0A', 1001], [8080, '0A', 1000])]);
    expect(finding).toEqual({ check: 'custodian user', ok: true, detail: '1001, the harness runs as 1000' });
  });

  it('says nothing where it cannot be told: another machine, nobody there, no such tables', () => {
    const tables = [table([8081, '0A', 1], [8080, '0A', 1])];
    expect(checkUsers({ ...urls, custodian: 'http://10.0.0.1:8081' }, tables)).toEqual([]);
    expect(checkUsers(urls, [table([8081, '0A', 1])])).toEqual([]);
    expect(checkUsers(urls, [])).toEqual([]);
  });
});
