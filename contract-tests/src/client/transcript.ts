import type { ClientCase } from './case.ts';
import { operationIn, type Seen } from './seen.ts';

/** How much of a body a transcript shows, in characters. */
const shown = 200;

/** The wire of one case, line by line, for whoever looks for what went wrong. */
export function transcript({ arrivals, result, effects }: Seen, { call }: ClientCase): string[] {
  const wire = arrivals.flatMap((arrival) => {
    const { at, connection, method, target, whole, fault, copies, upstream, answered } = arrival;
    const body = arrival.body.toString().slice(0, shown);
    return [
      `${at.toFixed(0).padStart(6)} ms  #${connection} ${method} ${target} (${operationIn(arrival)})${whole ? '' : ', not whole'} ${body}`,
      `           ${fault}: ${copies} copies to the peer (${upstream ?? 'no answer'}), ${answered ?? 'nothing'} back`,
    ];
  });
  const said = JSON.stringify({ ...result, value: undefined });
  return [
    `call ${call.command} ${JSON.stringify(call.input)}`,
    ...wire,
    `result ${said}`,
    `effects ${JSON.stringify(effects)}`,
  ];
}
