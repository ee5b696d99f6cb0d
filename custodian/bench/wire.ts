/** A client that costs next to nothing: one keep-alive socket, one request after another, answers with a Content-Length. */
import { connect, type Socket } from 'node:net';

export class Wire {
  readonly #socket: Socket;
  #buffer = '';
  #waiting: { at: number; resolve: (ms: number) => void; reject: (error: Error) => void } | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.setEncoding('latin1');
    socket.on('data', (data) => this.#read(String(data)));
    socket.on('error', (error) => this.#waiting?.reject(error));
    socket.on('close', () => this.#waiting?.reject(new Error('the socket was closed')));
  }

  static open(url: string): Promise<Wire> {
    const { hostname, port } = new URL(url);
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => resolve(new Wire(socket)));
      socket.once('error', reject);
    });
  }

  /** Sends a whole request; milliseconds until the last byte of its answer. @throws Error for an answer that is no 200 */
  ask(request: string): Promise<number> {
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
    const answer = this.#buffer;
    this.#buffer = answer.slice(end + 4 + length);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (answer.startsWith('HTTP/1.1 200')) waiting?.resolve(performance.now() - waiting.at);
    else waiting?.reject(new Error(answer.slice(0, 300)));
  }
}
