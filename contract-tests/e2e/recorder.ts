import { createServer, type IncomingMessage, type Server, type ServerResponse, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One exchange as it stood on the wire. */
export interface Exchange {
  readonly method: string;
  readonly url: string;
  readonly requestHeaders: IncomingMessage['headers'];
  readonly requestBody: string;
  readonly status: number;
  readonly responseHeaders: IncomingMessage['headers'];
  readonly responseBody: string;
}

/**
 * A transparent HTTP relay in front of a role: bytes pass as they come, in both directions, with the caller's Host header,
 * and every exchange that came to an end is kept. While the role is down it refuses like the role would: it does not
 * listen.
 */
export class Recorder {
  readonly exchanges: Exchange[] = [];
  private readonly server: Server;

  constructor(private readonly upstream: string) {
    this.server = createServer((request, response) => this.relay(request, response));
  }

  async listen(port = 0): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(port, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }

  private relay(request: IncomingMessage, response: ServerResponse): void {
    const requestBody = collect(request);
    const onward = send(this.upstream + request.url, { method: request.method, headers: request.headers }, (answer) => {
      const responseBody = collect(answer);
      response.writeHead(answer.statusCode ?? 0, answer.rawHeaders);
      answer.pipe(response);
      answer.once('end', () => {
        this.exchanges.push({
          method: request.method ?? '',
          url: request.url ?? '',
          requestHeaders: request.headers,
          requestBody: requestBody(),
          status: answer.statusCode ?? 0,
          responseHeaders: answer.headers,
          responseBody: responseBody(),
        });
      });
      answer.once('error', () => response.destroy());
    });
    onward.once('error', () => response.destroy());
    response.once('close', () => onward.destroy());
    request.pipe(onward);
  }
}

function collect(stream: IncomingMessage): () => string {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString('utf8');
}
