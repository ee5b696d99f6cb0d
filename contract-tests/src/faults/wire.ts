import type { Socket } from 'node:net';

/** A socket read piece by piece, so that a connection can be told as one sequence. */
export class Wire {
  readonly socket: Socket;
  /** Resolves when the other side is gone, or we are. */
  readonly closed: Promise<void>;
  readonly #pieces: Buffer[] = [];
  #ended = false;
  #wake: (() => void) | undefined;
  #paceMs = 0;

  constructor(socket: Socket) {
    this.socket = socket;
    this.closed = new Promise((resolve) => {
      const over = () => {
        this.#ended = true;
        this.#wake?.();
        resolve();
      };
      socket.once('end', over).once('close', over);
    });
    // What it says is said again by `close`.
    socket.on('error', () => {});
    socket.on('data', (piece: Buffer) => {
      this.#pieces.push(piece);
      if (this.#paceMs > 0) this.#pause();
      this.#wake?.();
    });
  }

  get over(): boolean {
    return this.#ended && this.#pieces.length === 0;
  }

  /** The next bytes; `undefined` when there will be none. */
  async next(): Promise<Buffer | undefined> {
    while (this.#pieces.length === 0 && !this.#ended) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#pieces.shift();
  }

  /** Puts bytes back that belong to what comes next. */
  unread(bytes: Buffer): void {
    if (bytes.length > 0) this.#pieces.unshift(bytes);
  }

  /** From now on so many milliseconds between two reads. */
  pace(ms: number): void {
    this.#paceMs = ms;
  }

  /** Resolves when the bytes are out, or the socket is gone. */
  write(bytes: Buffer | string): Promise<void> {
    return new Promise((resolve) => {
      if (this.socket.destroyed) return resolve();
      this.socket.write(bytes, () => resolve());
    });
  }

  reset(): void {
    resetSocket(this.socket);
  }

  end(how: 'fin' | 'rst'): void {
    if (how === 'rst') this.reset();
    else this.socket.end();
  }

  #pause(): void {
    this.socket.pause();
    setTimeout(() => this.socket.resume(), this.#paceMs);
  }
}

/** Ends it by a reset. Node 20 never gets rid of a socket that is reset while its own end is on the way, so that one is destroyed. */
export function resetSocket(socket: Socket): void {
  if (socket.writableEnded || socket.destroyed) socket.destroy();
  else socket.resetAndDestroy();
}
