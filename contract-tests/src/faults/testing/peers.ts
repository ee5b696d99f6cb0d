import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/** A plain upstream that keeps what it was sent. */
export interface Plain {
  readonly url: string;
  readonly bodies: string[];
  close(): Promise<void>;
}

/** Answers `{"n":…,"echo":…}`, n being the how-manieth request it is. */
export async function plainUpstream(): Promise<Plain> {
  const bodies: string[] = [];
  const server: Server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const echo = Buffer.concat(pieces).toString();
      bodies.push(echo);
      const text = JSON.stringify({ n: bodies.length, echo: echo.slice(0, 20) });
      response.setHeader('content-type', 'application/json');
      if (request.url === '/chunked') response.write(text, () => response.end());
      else response.setHeader('content-length', text.length).end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    bodies,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A client that is nothing but a socket. */
export class RawClient {
  readonly socket: Socket;
  text = '';
  ending: string | undefined;
  readonly #listeners = new Set<() => void>();

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1');
    const changed = () => {
      for (const listener of this.#listeners) listener();
    };
    this.socket.on('data', (piece: Buffer) => {
      this.text += piece.toString('latin1');
      changed();
    });
    this.socket.on('error', (error: NodeJS.ErrnoException) => {
      this.ending ??= error.code;
      changed();
    });
    this.socket.on('end', () => {
      this.ending ??= 'end';
      changed();
    });
  }

  post(body: string, path = '/agents/a/events'): void {
    const head = `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
    this.socket.write(head + body);
  }

  /** Waits for a condition; the test's own timeout bounds it. */
  until(condition: (client: this) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!condition(this)) return;
        this.#listeners.delete(look);
        resolve();
      };
      this.#listeners.add(look);
      look();
    });
  }

  async ended(): Promise<string | undefined> {
    await this.until(({ ending }) => ending !== undefined);
    return this.ending;
  }
}
