/** The kit in the place of the Orchestrator, on raw sockets: it counts what arrives, byte for byte. */
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { delay } from '../faults/acts.ts';
import { type HeldPort, holdPort } from '../faults/hold.ts';
import { resetSocket, Wire } from '../faults/wire.ts';
import { Affair, Arrival, type Connected } from './arrival.ts';
import type { Act } from './case.ts';
import { answerOf, divided, framed, replyOf } from './replies.ts';

const host = '127.0.0.1';

export interface UpstreamOptions {
  /** Every connection is reset before a byte of it is read; or ended at its first bytes, as by a broken TLS server. */
  readonly spoils?: 'on_connect' | 'at_first_bytes';
}

export class Upstream {
  readonly connections: Connected[] = [];
  /** Requests that carry no mark of a case: nobody asked for them. */
  readonly strays: Arrival[] = [];
  readonly #affairs = new Map<string, Affair>();
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #held: HeldPort | undefined;
  port = 0;

  constructor(readonly options: UpstreamOptions = {}) {}

  get address(): string {
    return `${host}:${this.port}`;
  }

  async start(port = this.port): Promise<void> {
    await this.#held?.release();
    this.#held = undefined;
    const server = createServer((socket) => this.#accept(socket));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      // A thousand connections may come at once.
      server.listen({ host, port, backlog: 1_024 }, resolve);
    });
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
  }

  /** From now on connects are refused, and what is open is reset. */
  async refuse(): Promise<void> {
    const server = this.#server;
    if (!server) return;
    this.#server = undefined;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of this.#sockets) resetSocket(socket);
    await closed;
    this.#held = await holdPort(host, this.port);
  }

  async close(): Promise<void> {
    const server = this.#server;
    const closed = new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
    await this.#held?.release();
  }

  affair(mark: string): Affair {
    const known = this.#affairs.get(mark) ?? new Affair(mark);
    this.#affairs.set(mark, known);
    return known;
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    const connection: Connected = { n: this.connections.length + 1, at: performance.now(), bytes: 0 };
    this.connections.push(connection);
    const ended = () => {
      connection.endedAt ??= performance.now();
    };
    socket.once('end', ended).once('close', () => {
      ended();
      this.#sockets.delete(socket);
    });
    socket.on('data', (piece: Buffer) => {
      connection.bytes += piece.length;
    });
    const { spoils } = this.options;
    if (spoils === 'on_connect') resetSocket(socket);
    else if (spoils === 'at_first_bytes') socket.once('data', () => resetSocket(socket));
    else void this.#serve(new Wire(socket), connection);
  }

  async #serve(wire: Wire, connection: Connected): Promise<void> {
    while (!wire.over) {
      const first = await wire.next();
      if (first === undefined) return;
      wire.unread(first);
      if ((await this.#request(wire, connection)) === 'over') return;
    }
  }

  /** One request, from its first byte to what becomes of it. */
  async #request(wire: Wire, connection: Connected): Promise<'keep' | 'over'> {
    const arrival = new Arrival(connection);
    const { message } = arrival;
    let act: Act | undefined;
    let affair: Affair | undefined;
    while (!message.whole) {
      const piece = await wire.next();
      if (piece === undefined) {
        arrival.cut = true;
        arrival.goneAt = performance.now();
        if (!message.head) this.strays.push(arrival);
        return 'over';
      }
      message.push(piece);
      if (act || !message.head) continue;
      affair = this.#belongs(arrival);
      act = affair?.next() ?? {};
      if (act.at === 'head') break;
    }
    wire.unread(Buffer.from(message.rest));
    void wire.closed.then(() => {
      arrival.goneAt ??= performance.now();
    });
    return this.#perform(wire, arrival, act ?? {}, affair);
  }

  #belongs(arrival: Arrival): Affair | undefined {
    const head = arrival.message.bytes.toString('latin1');
    const affair = [...this.#affairs.values()].find(({ mark }) => head.includes(mark));
    if (affair) affair.requests.push(arrival);
    else this.strays.push(arrival);
    return affair;
  }

  async #perform(wire: Wire, arrival: Arrival, act: Act, affair: Affair | undefined): Promise<'keep' | 'over'> {
    if (act.afterMs !== undefined) await delay(act.afterMs, wire.closed);
    if (act.silent) await Promise.race([affair?.released, wire.closed]);
    if (act.raw !== undefined) await wire.write(act.raw);
    const says = act.end === undefined || act.status !== undefined || act.cut !== undefined;
    const answers = says && !act.silent && act.raw === undefined;
    if (answers) await this.#answer(wire, arrival, act, affair);
    else arrival.fate = { at: performance.now(), says: fateOf(act) };
    if (act.dies) {
      const next = await wire.next();
      if (next !== undefined) this.#lost(arrival.connection, next);
      wire.reset();
      return 'over';
    }
    const end = act.end ?? (act.cut === undefined && act.raw === undefined ? undefined : 'fin');
    if (end !== undefined) wire.end(end);
    return end !== undefined || act.silent ? 'over' : 'keep';
  }

  /** What came on a connection that dies of it. */
  #lost(connection: Connected, bytes: Buffer): void {
    const arrival = new Arrival(connection);
    arrival.message.push(bytes);
    this.#belongs(arrival);
  }

  async #answer(wire: Wire, arrival: Arrival, act: Act, affair: Affair | undefined): Promise<void> {
    const { pieces = 1, everyMs, hold, cut } = act;
    const { method, target } = arrival;
    const reply = replyOf(act, method, target);
    const { head, body, chunked } = reply;
    // A body that is only so long says nothing; what is cut is judged by nobody.
    const isMeant = act.foreign !== true && act.bytes === undefined && cut === undefined;
    if (isMeant) arrival.reply = answerOf(reply, method, target);
    const coming = cut === undefined ? body : body.subarray(0, cut);
    if (hold && pieces === 1) await Promise.race([affair?.released, wire.closed]);
    arrival.fate = { at: performance.now(), says: fateOf(act, Number(head.split(' ')[1])) };
    await wire.write((act.before ?? '') + head);
    const parts = divided(coming, pieces);
    for (const [index, piece] of parts.entries()) {
      if (index > 0 && everyMs !== undefined) await delay(everyMs, wire.closed);
      if (index === 1 && hold) await Promise.race([affair?.released, wire.closed]);
      await wire.write(framed(piece, chunked));
    }
    if (chunked && cut === undefined) await wire.write('0\r\n\r\n');
  }
}

/** For whoever reads the transcript. */
function fateOf({ raw, cut, end, silent, dies }: Act, status?: number): string {
  const ends = { rst: 'reset', fin: 'closed' } as const;
  const parts = [
    status ?? (raw === undefined ? '' : 'bytes that are no answer'),
    cut === undefined ? '' : `cut after ${cut} bytes`,
    end === undefined ? (silent ? 'no answer' : '') : ends[end],
    dies ? 'dies of the next' : '',
  ];
  return parts.filter((part) => part !== '').join(', ');
}
