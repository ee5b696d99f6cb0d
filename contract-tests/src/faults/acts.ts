/** What each request fault does, one function each. `over`: the connection is not used any further. */
import { brokenJson, canned, comingThrough, cutBody, cutChunk, garbage, reframed } from './answers.ts';
import type { Exchange } from './exchange.ts';
import type { Head, Message } from './http1.ts';
import type { RequestFault } from './script.ts';
import { ask, pump, statusOf } from './upstream.ts';

export type After = 'keep' | 'over';
type Act = (exchange: Exchange) => Promise<After>;

export const delay = (ms: number, unless: Promise<void>): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    void unless.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });

/** Milliseconds between two reads of a slow reader that does not say how slow. */
const slowMs = 20;
/** Milliseconds until a late copy that does not say how late. */
const lateMs = 300;

const pass: Act = async (exchange) => {
  if (exchange.step.ms !== undefined) await delay(exchange.step.ms, exchange.wire.closed);
  if (await pump(exchange)) return 'keep';
  exchange.wire.reset();
  return 'over';
};

const silent: Act = async (exchange) => {
  if (await exchange.takeWhole()) await handOn(exchange);
  while ((await exchange.wire.next()) !== undefined);
  return 'over';
};

const resetEarly: Act = async ({ wire }) => {
  wire.reset();
  return 'over';
};

/** After all of the request and before any answer. */
const endAfterRequest =
  (how: 'fin' | 'rst'): Act =>
  async (exchange) => {
    if (await exchange.takeWhole()) await handOn(exchange);
    exchange.wire.end(how);
    return 'over';
  };

const unparsable: Act = async (exchange) => {
  if (await exchange.takeWhole()) await handOn(exchange);
  await say(exchange, garbage);
  exchange.wire.end('fin');
  return 'over';
};

/** The upstream's own answer, as far as it comes through. */
const spoiled =
  (make: (head: Head, body: Buffer, come: number) => Buffer, then: 'end' | 'stall' | 'keep'): Act =>
  async (exchange) => {
    const { wire, step } = exchange;
    const answer = (await exchange.takeWhole()) ? await ask(exchange) : undefined;
    if (answer?.head === undefined) return resetEarly(exchange);
    exchange.arrival.answered = statusOf(answer);
    await say(exchange, make(answer.head, answer.body, comingThrough(answer, step.afterBytes)));
    if (then === 'keep') return 'keep';
    if (then === 'stall') await wire.closed;
    wire.end(step.end ?? 'fin');
    return 'over';
  };

const headersOnly = (head: Head, body: Buffer): Buffer => Buffer.from(reframed(head, { length: body.length }));

/** Passes this request, and ends the connection at the first byte of the next one. */
const diesOnReuse: Act = async (exchange) => {
  if (!(await pump(exchange))) return 'over';
  const next = await exchange.wire.next();
  if (next !== undefined) {
    exchange.connection.bytes += next.length;
    const lost = exchange.record.arriving(exchange.connection.n);
    const [method = '', target = ''] = next.toString('latin1', 0, next.indexOf('\r\n')).split(' ');
    Object.assign(lost, { method, target, bytes: next, fault: 'dies_on_reuse' });
    exchange.record.arrived(lost);
  }
  exchange.wire.reset();
  return 'over';
};

/** Passes this request, and closes the idle connection after a while. */
const closesIdle: Act = async (exchange) => {
  if (!(await pump(exchange))) return 'over';
  await delay(exchange.step.ms ?? 0, exchange.wire.closed);
  exchange.wire.end(exchange.step.end ?? 'fin');
  return 'over';
};

/** The upstream gets it twice, as from a mesh that sends again by itself. */
const duplicate: Act = async (exchange) => {
  const first = (await exchange.takeWhole()) ? await ask(exchange) : undefined;
  if (first === undefined) return resetEarly(exchange);
  await ask(exchange);
  return giveBack(exchange, first);
};

/** The client is cut off, and its request arrives all the same, later. */
const lateCopy: Act = async (exchange) => {
  if (!(await exchange.takeWhole())) return 'over';
  exchange.wire.end(exchange.step.end ?? 'rst');
  await new Promise((resolve) => setTimeout(resolve, exchange.step.ms ?? lateMs));
  await ask(exchange);
  return 'over';
};

const slowRead: Act = async (exchange) => {
  exchange.wire.pace(exchange.step.ms ?? slowMs);
  const answer = (await exchange.takeWhole()) ? await ask(exchange) : undefined;
  exchange.wire.pace(0);
  return answer === undefined ? resetEarly(exchange) : giveBack(exchange, answer);
};

const answerInstead: Act = async (exchange) => {
  if (!(await exchange.takeWhole())) return 'over';
  await handOn(exchange);
  const { answer } = exchange.step;
  if (answer === undefined) return 'over';
  exchange.arrival.answered = answer.status;
  await say(exchange, canned(answer, exchange.arrival.method === 'HEAD'));
  if (answer.headers?.connection !== 'close') return 'keep';
  exchange.wire.end('fin');
  return 'over';
};

async function handOn(exchange: Exchange): Promise<void> {
  if (exchange.step.deliver === true) await ask(exchange);
}

async function giveBack(exchange: Exchange, answer: Message): Promise<After> {
  exchange.arrival.answered = statusOf(answer);
  await say(exchange, answer.bytes);
  return 'keep';
}

function say(exchange: Exchange, bytes: Buffer): Promise<void> {
  exchange.record.answered(exchange.arrival, bytes);
  return exchange.wire.write(bytes);
}

export const acts: Readonly<Record<RequestFault, Act>> = {
  pass,
  silent,
  reset_early: resetEarly,
  reset_after_request: endAfterRequest('rst'),
  close_after_request: endAfterRequest('fin'),
  garbage: unparsable,
  cut_after_headers: spoiled(headersOnly, 'end'),
  cut_body: spoiled(cutBody, 'end'),
  cut_chunk: spoiled(cutChunk, 'end'),
  stall_body: spoiled(cutBody, 'stall'),
  broken_json: spoiled(brokenJson, 'keep'),
  dies_on_reuse: diesOnReuse,
  closes_idle: closesIdle,
  duplicate,
  late_copy: lateCopy,
  slow_read: slowRead,
  answer: answerInstead,
};
