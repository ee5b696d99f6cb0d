import type { Arrival } from '../faults/record.ts';
import { mismatch } from '../harness/expect.ts';
import type { Amount, ClientCase } from './case.ts';
import { canonical } from './render.ts';
import { copiesOf, type Mismatch, operationIn, type Seen } from './seen.ts';

/** Compares what was seen with what the case expects. */
export function judge(seen: Seen, of: ClientCase): Mismatch[] {
  const { expect } = of;
  const copies = copiesOf(seen, of);
  return [
    ...outcome(seen, of),
    ...same('the certainty', seen.result.error?.certainty ?? seen.result.certainty, expect.certainty),
    ...same('`permanent`', seen.result.error?.permanent ?? seen.result.permanent ?? false, expect.permanent),
    ...amount('reports', seen.result.attempts ?? seen.result.error?.attempts, expect.attempts, 'attempts'),
    ...Object.entries(expect.arrived ?? {}).flatMap(([operation, wanted]) =>
      amount(
        'sent',
        seen.arrivals.filter((each) => operationIn(each) === operation).length,
        wanted,
        `\`${operation}\``,
      ),
    ),
    ...Object.entries(expect.effects ?? {}).flatMap(([effect, wanted]) =>
      amount('caused', seen.effects[effect as keyof Seen['effects']], wanted, effect),
    ),
    ...members(seen.result.value, expect.value),
    ...sent(copies, expect.sent ?? {}),
    ...sent(copies.slice(-1), expect.lastSent ?? {}),
    ...queried(copies.at(-1), expect.lastQuery ?? {}),
    ...bodied(copies.at(-1), expect.sentBody),
    ...gaps(copies, expect.gaps ?? []),
    ...(expect.newSockets ? sockets(seen, copies) : []),
    ...(expect.took ? amount('took', Math.round(seen.took), expect.took, 'ms') : []),
    ...order(seen, expect.order),
  ];
}

function outcome({ result }: Seen, { expect }: ClientCase): Mismatch[] {
  const did = result.error?.code === undefined ? result.outcome : `${result.outcome} ${result.error.code}`;
  const should = expect.code === undefined ? expect.outcome : `${expect.outcome} ${expect.code}`;
  if (result.outcome === expect.outcome && (expect.code === undefined || result.error?.code === expect.code)) return [];
  const why = result.error?.message === undefined ? '' : ` (${result.error.message})`;
  return [{ did: `reports the outcome \`${did}\`${why}`, should: `report \`${should}\`` }];
}

function same(what: string, actual: unknown, expected: unknown): Mismatch[] {
  if (expected === undefined || actual === expected) return [];
  return [{ did: `reports ${what} \`${String(actual)}\``, should: `report \`${String(expected)}\`` }];
}

/** What it did, as what it should do. */
const bare: Readonly<Record<string, string>> = { reports: 'report', sent: 'send', caused: 'cause', took: 'take' };

function amount(did: string, actual: number | undefined, wanted: Amount | undefined, what: string): Mismatch[] {
  if (wanted === undefined) return [];
  const { min = 0, max = Number.POSITIVE_INFINITY } =
    typeof wanted === 'number' ? { min: wanted, max: wanted } : wanted;
  if (actual !== undefined && actual >= min && actual <= max) return [];
  const range = min === max ? `${min}` : max === Number.POSITIVE_INFINITY ? `at least ${min}` : `${min} to ${max}`;
  const [verb = '', ...rest] = did.split(' ');
  return [{ did: `${did} ${actual ?? 'no'} ${what}`, should: [bare[verb] ?? verb, ...rest, range, what].join(' ') }];
}

function members(value: unknown, expected: Readonly<Record<string, unknown>> | undefined): Mismatch[] {
  const given = (value ?? {}) as Readonly<Record<string, unknown>>;
  return Object.entries(expected ?? {}).flatMap(([name, wanted]) =>
    canonical(given[name] ?? null) === canonical(wanted)
      ? []
      : [{ did: `reports ${name} ${canonical(given[name] ?? null)}`, should: `report ${canonical(wanted)}` }],
  );
}

function sent(copies: readonly Arrival[], headers: Readonly<Record<string, string>>): Mismatch[] {
  return Object.entries(headers).flatMap(([name, wanted]) => {
    const wrong = copies.find((copy) => copy.headers[name] !== wanted);
    if (wrong === undefined) return [];
    return [{ did: `sent \`${name}: ${wrong.headers[name] ?? '(none)'}\``, should: `send \`${name}: ${wanted}\`` }];
  });
}

function queried(copy: Arrival | undefined, query: Readonly<Record<string, string>>): Mismatch[] {
  const actual = new URLSearchParams(copy?.target.split('?')[1] ?? '');
  return Object.entries(query).flatMap(([name, wanted]) =>
    actual.get(name) === wanted
      ? []
      : [{ did: `asked with ${name}=${actual.get(name) ?? '(none)'}`, should: `ask with ${name}=${wanted}` }],
  );
}

function bodied(copy: Arrival | undefined, wanted: Readonly<Record<string, unknown>> | undefined): Mismatch[] {
  if (wanted === undefined) return [];
  const odd = mismatch(wanted, copy && JSON.parse(copy.body.toString()), 'its body');
  return odd === undefined ? [] : [{ did: `sent a request of which ${odd}`, should: 'send what the case says' }];
}

function gaps(copies: readonly Arrival[], wanted: readonly { min?: number; max?: number }[]): Mismatch[] {
  return wanted.flatMap((bounds, index) => {
    const [one, next] = [copies[index], copies[index + 1]];
    const gap = one && next ? Math.round(next.at - one.at) : undefined;
    return amount(`sent copy ${index + 2} after`, gap, bounds, 'ms');
  });
}

function sockets({ usedBefore }: Seen, copies: readonly Arrival[]): Mismatch[] {
  const used = copies.map(({ connection }) => connection);
  const again = used.find((connection, index) => usedBefore.has(connection) || used.indexOf(connection) !== index);
  if (again === undefined) return [];
  return [{ did: 'sent a copy on a connection that was used before', should: 'dial anew' }];
}

function order({ arrivals }: Seen, wanted: readonly string[] | undefined): Mismatch[] {
  if (wanted === undefined) return [];
  const actual = arrivals.map(operationIn);
  if (wanted.every((operation, index) => actual[index] === operation)) return [];
  return [{ did: `sent ${actual.join(', ') || 'nothing'}`, should: `begin with ${wanted.join(', ')}` }];
}
