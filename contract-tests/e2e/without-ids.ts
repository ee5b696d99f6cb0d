import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { type Dispatcher, request } from 'undici';

/**
 * A relay before a Custodian whose surfaces say that the Orchestrator does not know picks by the Harness's ids. What became of a
 * pick can then not be looked up, and the model is told what the Custodian's own words prove.
 */
export class WithoutIds {
  private readonly server: Server;

  constructor(private readonly custodian: string) {
    this.server = createServer((incoming, outgoing) => {
      this.relay(incoming, outgoing).catch(() => outgoing.destroy());
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private async relay(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/', headers } = incoming;
    const body = method === 'GET' ? null : await buffer(incoming);
    const { host: _, connection: __, ...sent } = headers;
    // What is asked for is always the whole surface, so that it can be read.
    delete sent['if-none-match'];
    const options = { method: method as Dispatcher.HttpMethod, headers: sent, body, headersTimeout: 0, bodyTimeout: 0 };
    const answer = await request(this.custodian + url, options);
    const whole = Buffer.from(await answer.body.arrayBuffer());
    const given = url.endsWith('/surface') && answer.statusCode === 200 ? withoutIds(whole) : whole;
    const { connection: ___, 'transfer-encoding': ____, ...kept } = answer.headers;
    outgoing.writeHead(answer.statusCode, { ...kept, 'content-length': String(given.length) });
    outgoing.end(given);
  }
}

function withoutIds(body: Buffer): Buffer {
  const surface = JSON.parse(body.toString()) as { capabilities: object };
  return Buffer.from(
    JSON.stringify({ ...surface, capabilities: { ...surface.capabilities, clientDeliveryIds: false } }),
  );
}
