import { connect, type Socket } from 'node:net';
import type { Exchange } from './exchange.ts';
import { Message } from './http1.ts';

/** Where requests go on to. */
export interface Upstream {
  readonly host: string;
  readonly port: number;
}

/** A connection to the upstream; `undefined` when there is none to be had. */
export function dial(upstream: Upstream): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(upstream.port, upstream.host);
    socket.setNoDelay(true);
    socket.once('connect', () => resolve(socket));
    socket.once('error', () => resolve(undefined));
    socket.on('error', () => {});
  });
}

/** Gives the upstream one whole copy of the request and reads its whole answer. Its connection lives as long as that. */
export async function ask(exchange: Exchange): Promise<Message | undefined> {
  const socket = await dial(exchange.upstream);
  if (socket === undefined) return undefined;
  exchange.own(socket);
  const { arrival, record } = exchange;
  const answer = Message.answer(arrival.method);
  const whole = new Promise<void>((resolve) => {
    socket.on('data', (piece: Buffer) => {
      answer.push(piece);
      if (answer.whole) resolve();
    });
    socket.once('close', () => {
      answer.ended();
      resolve();
    });
  });
  socket.write(exchange.request.bytes);
  await whole;
  socket.destroy();
  if (answer.whole) arrival.upstream ??= statusOf(answer);
  record.delivered(arrival);
  return answer.whole ? answer : undefined;
}

/** Forwards in both directions as the bytes come. Whether the answer came to its end. */
export async function pump(exchange: Exchange): Promise<boolean> {
  const { wire, request, arrival, record } = exchange;
  const socket = await dial(exchange.upstream);
  if (socket === undefined) return false;
  exchange.own(socket);
  const answer = Message.answer(arrival.method);
  const over = new Promise<boolean>((resolve) => {
    socket.on('data', (piece: Buffer) => {
      answer.push(piece);
      record.answered(arrival, piece);
      void wire.write(piece);
      if (answer.head !== undefined) arrival.answered = statusOf(answer);
      if (answer.whole) resolve(true);
    });
    socket.once('close', () => {
      answer.ended();
      resolve(answer.whole);
    });
    // A client that goes away takes its request to the upstream with it.
    void wire.closed.then(() => resolve(false));
  });
  socket.write(request.bytes);
  while (!request.whole) {
    const piece = await exchange.more();
    if (piece === undefined) break;
    socket.write(piece);
  }
  if (request.whole) record.delivered(arrival);
  const whole = request.whole && (await over);
  socket.destroy();
  if (answer.head !== undefined) arrival.upstream ??= statusOf(answer);
  return whole;
}

export function statusOf(answer: Message): number {
  return Number(answer.head?.startLine.split(' ')[1]);
}
