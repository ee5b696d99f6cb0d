/** A client that costs next to nothing: one keep-alive socket, one request after another, answers with a Content-Length. */
import { connect, type Socket } from 'node:net';

export interface Answer {
  readonly status: number;
  readonly body: string;
  /** Milliseconds from the write to the last byte of the answer. */
  readonly ms: number;
}

export class Wire {
  readonly #socket: Socket;
  readonly #host: string;
  #buffer = '';
  #waiting: { at: number; resolve: (answer: Answer) => void; reject: (error: Error) => void } | undefined;

  private constructor(socket: Socket, host: string) {
    this.#socket = socket;
    this.#host = host;
    socket.setNoDelay(true);
    socket.setEncoding('latin1');
    socket.on('data', (data) => this.#read(String(data)));
    socket.on('error', (error) => this.#waiting?.reject(error));
    socket.on('close', () => this.#waiting?.reject(new Error('the socket was closed')));
  }

  static open(url: string): Promise<Wire> {
    const { hostname, port, host } = new URL(url);
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => resolve(new Wire(socket, host)));
      socket.once('error', reject);
    });
  }

  ask(method: string, path: string, token: string, json?: unknown): Promise<Answer> {
    const body = json === undefined ? '' : JSON.stringify(json);
    const type =
      json === undefined ? '' : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`;
    const head = `${method} ${path} HTTP/1.1\r\nhost: ${this.#host}\r\nauthorization: Bearer ${token}\r\n${type}\r\n`;
    return this.send(head + body);
  }

  /** A whole request as it stands. */
  send(request: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { at: performance.now(), resolve, reject };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#waiting = undefined;
    this.#socket.destroy();
  }

  #read(data: string): void {
    this.#buffer += data;
    const end = this.#buffer.indexOf('\r\n\r\n');
    if (end < 0) return;
    const length = Number(/^content-length: (\d+)/im.exec(this.#buffer)?.[1] ?? 0);
    if (this.#buffer.length < end + 4 + length) return;
    const body = this.#buffer.slice(end + 4, end + 4 + length);
    const status = Number(this.#buffer.slice(9, 12));
    this.#buffer = this.#buffer.slice(end + 4 + length);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve({ status, body, ms: performance.now() - waiting.at });
  }
}
