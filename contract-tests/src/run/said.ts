/** What a server of the kit answers, as its reader has it: the kit is held to the spec like anybody else. */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Answer } from '../harness/wire.ts';

/** Hears of the answer to this request when it went out whole. */
export function whenSaid(request: IncomingMessage, response: ServerResponse, hear: (answer: Answer) => void): void {
  const { method = 'GET', url = '/' } = request;
  let head: OutgoingHttpHeaders = {};
  const writeHead = response.writeHead.bind(response) as (
    status: number,
    headers?: OutgoingHttpHeaders,
  ) => ServerResponse;
  const end = response.end.bind(response) as (body?: unknown) => ServerResponse;
  response.writeHead = ((status: number, headers: OutgoingHttpHeaders = {}) => {
    head = headers;
    return writeHead(status, headers);
  }) as typeof response.writeHead;
  response.end = ((body?: unknown) => {
    const text = body === undefined || body === null ? '' : String(body);
    const ended = end(body);
    hear({
      ...{ method, path: url, status: response.statusCode, headers: texts(head), text },
      ...parsed(text),
      ...whole,
    });
    return ended;
  }) as typeof response.end;
}

const whole = { whole: true, ms: 0, headMs: 0 };

const texts = (headers: OutgoingHttpHeaders): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]));

function parsed(text: string): { json?: unknown } {
  try {
    return { json: JSON.parse(text) as unknown };
  } catch {
    return {};
  }
}

/** Said on purpose in the place of somebody else, or to be no JSON: faults of a case, not of the kit. */
export const isMeant = ({ headers, text, json }: Answer): boolean =>
  headers['turnwire-version'] === undefined || (text !== '' && json === undefined);
