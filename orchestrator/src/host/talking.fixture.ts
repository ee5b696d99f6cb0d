/** A Machine that talks with an actor of its own and with itself; people drive it. */
import { assign, fromCallback, sendTo } from 'xstate';
import { z } from 'zod';
import { defineEvent, setup } from '../index.ts';

const nothing = z.object({});
const numbered = z.object({ n: z.number() });
const ask = defineEvent({ name: 'ask', by: 'outside', input: nothing });
const tell = defineEvent({ name: 'tell', by: 'outside', input: nothing });
const end = defineEvent({ name: 'end', by: 'outside', input: nothing });
const pong = defineEvent({ name: 'pong', by: 'outside', input: numbered });
const tick = defineEvent({ name: 'tick', by: 'outside', input: numbered });

/** What the service does with the `n`th ping of its machine. */
export type Service = (n: number, answer: () => void) => void;

/** `ask` sends its service a ping, each answer is a pong; `tell` has an action send the machine `ticks` ticks. */
export function talkingMachine(service: Service, ticks = 3) {
  return setup({
    input: z.object({ task: z.string() }),
    types: {} as { context: { asked: number; pongs: number[]; ticks: number[] } },
    events: [ask, tell, end, pong, tick],
    actors: {
      service: fromCallback<{ type: 'ping'; n: number }>(({ receive, sendBack }) =>
        receive(({ n }) => service(n, () => sendBack({ type: 'pong', input: { n } }))),
      ),
    },
  }).createMachine({
    context: { asked: 0, pongs: [], ticks: [] },
    invoke: { src: 'service', id: 'service' },
    initial: 'talking',
    states: {
      talking: {
        invoke: { src: 'gate', input: { gate: 'talk' } },
        on: {
          ask: {
            actions: [
              assign({ asked: ({ context }) => context.asked + 1 }),
              sendTo('service', ({ context }) => ({ type: 'ping', n: context.asked })),
            ],
          },
          tell: {
            actions: ({ self }) => {
              for (let n = 1; n <= ticks; n += 1) self.send({ type: 'tick', input: { n } });
            },
          },
          end: 'done',
        },
      },
      done: { type: 'final' },
    },
    on: {
      pong: { actions: assign({ pongs: ({ context, event }) => [...context.pongs, event.input.n] }) },
      tick: { actions: assign({ ticks: ({ context, event }) => [...context.ticks, event.input.n] }) },
    },
  });
}
