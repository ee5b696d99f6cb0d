import { protocol } from '@turnwire/sdk';

/** Headers that belong to one hop, and the mark that only a Custodian may set (TW-CUS-015). */
const NOT_PASSED: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  protocol.headers.custodian,
]);

/** An upstream's headers as they came, names and values in turn, without what is not passed on. */
export function passed(raw: readonly Buffer[]): string[] {
  const list: string[] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = (raw[index] as Buffer).toString('latin1');
    if (!NOT_PASSED.has(name.toLowerCase())) list.push(name, (raw[index + 1] as Buffer).toString('latin1'));
  }
  return list;
}
