import type { IncomingMessage, ServerResponse } from 'node:http';
import { nodeEvidence } from '@turnwire/sdk';
import { Problem } from '@turnwire/server';
import type { Dispatcher } from 'undici';
import { bounded } from './body.ts';
import type { Attempt } from './flags.ts';
import { passed } from './headers.ts';
import type { SentWatch } from './sent.ts';

export interface Upstream {
  readonly origin: string;
  /** What comes before each path, where the Orchestrator is not at the root of its origin. */
  readonly base: string;
  readonly dispatcher: Dispatcher;
  readonly sent: SentWatch;
}

/** A request of a Harness that goes upstream, and where its answer goes. */
export interface Exchange {
  readonly method: string;
  readonly target: string;
  /** Names and values in turn; the token is in it. */
  readonly headers: string[];
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** An answer that had begun was cut short, by the upstream. */
  readonly cut: () => void;
}

/** One attempt: the status of the answer that is on its way, or why there is none. */
export type Attempted =
  | { readonly kind: 'answered'; readonly status: number }
  | { readonly kind: 'failed'; readonly attempt: Attempt; readonly error: unknown };

/** Why a request of ours was given up: its Harness went away. */
class CallerGone extends Error {}

/**
 * Sends the request once, and passes the answer on as it comes (TW-CUS-007, TW-CUS-008). A Harness that goes away has it
 * reset (TW-CUS-009).
 * @throws Problem when its body turns out to be too large
 */
export function exchange(upstream: Upstream, request: Exchange): Promise<Attempted> {
  return new Promise((resolve, reject) => {
    const { outgoing } = request;
    let controller: Dispatcher.DispatchController | undefined;
    let written = () => false;
    const settled = () => outgoing.off('close', gone);
    const fail = (error: unknown) => {
      settled();
      if (error instanceof Problem) return reject(error);
      const caller = callerOf(request, error);
      const attempt = { evidence: nodeEvidence(error), written: written(), ...(caller ? { caller } : {}) };
      resolve({ kind: 'failed', attempt, error });
    };
    const gone = () => {
      const error = new CallerGone('the harness went away');
      // Before it has a socket the request is only noted, and given up when it gets one.
      controller?.abort(error);
      fail(error);
    };
    if (outgoing.destroyed) return gone();
    outgoing.once('close', gone);
    const handler = relay(request, {
      start: (started) => {
        controller = started;
        if (outgoing.destroyed) started.abort(new CallerGone('the harness went away'));
      },
      head: (status) => resolve({ kind: 'answered', status }),
      end: settled,
      fail,
    });
    written = upstream.sent.watch(() => upstream.dispatcher.dispatch(options(upstream, request), handler));
  });
}

const options = ({ origin, base }: Upstream, { method, target, headers, incoming }: Exchange) => ({
  origin,
  path: base + target,
  method: method as Dispatcher.HttpMethod,
  headers,
  // The body is read from the socket only once undici writes it, so that after a failed connect it is still all there.
  body: method === 'GET' ? null : (bounded(incoming) as unknown as Buffer),
  headersTimeout: 0,
  bodyTimeout: 0,
});

function callerOf({ incoming, outgoing }: Exchange, error: unknown): Attempt['caller'] | undefined {
  // What is no HTTP in the middle of a body, the server has answered on the socket already.
  if (incoming.socket.writableEnded && !outgoing.writableEnded && !incoming.complete) return 'malformed';
  return error instanceof CallerGone || incoming.errored ? 'gone' : undefined;
}

interface Events {
  start(controller: Dispatcher.DispatchController): void;
  head(status: number): void;
  end(): void;
  fail(error: Error): void;
}

/** Writes the answer to the Harness's socket as it comes; one that is cut short upstream is cut short here. */
function relay({ outgoing, cut }: Exchange, events: Events): Dispatcher.DispatchHandler {
  return {
    onRequestStart: (controller) => events.start(controller),
    onResponseStart(controller, status, _headers, message = '') {
      if (status < FIRST_FINAL_STATUS) return;
      outgoing.writeHead(status, message, passed(controller.rawHeaders as Buffer[]));
      // A head whose body is not here yet does not wait for it.
      process.nextTick(() => outgoing.flushHeaders());
      events.head(status);
    },
    onResponseData(controller, chunk) {
      if (outgoing.write(chunk) || outgoing.destroyed) return;
      controller.pause();
      outgoing.once('drain', () => controller.resume());
    },
    onResponseEnd() {
      events.end();
      outgoing.end();
    },
    onResponseError(_controller, error) {
      if (!outgoing.headersSent) return events.fail(error);
      events.end();
      if (!outgoing.destroyed) cut();
      outgoing.destroy();
    },
  };
}

/** What comes before it is said on the way to an answer. */
const FIRST_FINAL_STATUS = 200;
