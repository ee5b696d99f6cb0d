import { Wire, type WireEvent } from '../report/wire.ts';
import type { ClientCase } from './case.ts';
import { operationIn, type Seen } from './seen.ts';

/** The same as messages, from the first of them on. */
export function messages({ arrivals, result }: Seen, { call }: ClientCase): readonly WireEvent[] {
  const wire = new Wire(0);
  const [first] = arrivals;
  const since = (at: number) => at - (first?.at ?? 0);
  wire.message('kit', 'subject', `call ${call.command}`, JSON.stringify(call.input), 0);
  for (const arrival of arrivals) {
    const { at, method, target, fault, upstream, answered, body } = arrival;
    wire.message('subject', 'peer', `${method} ${target}`, body.toString(), since(at));
    wire.message(
      'peer',
      'subject',
      `${answered ?? 'no answer'} (${fault}, peer ${upstream ?? 'none'})`,
      undefined,
      since(at),
    );
  }
  const end = since(arrivals.at(-1)?.at ?? 0);
  wire.message(
    'subject',
    'kit',
    `result ${result.outcome ?? ''}`,
    JSON.stringify({ ...result, value: undefined }),
    end,
  );
  return wire.events;
}

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
