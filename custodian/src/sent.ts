import { subscribe, unsubscribe } from 'node:diagnostics_channel';

/**
 * Whether undici wrote the first byte of a request. undici publishes `request:create` in the very call that dispatches,
 * and `client:sendHeaders` when it writes the head: between the two nothing has been written.
 */
export interface SentWatch {
  /** Runs a dispatch and returns what tells, at any later time, whether its request was written. */
  watch(dispatch: () => void): () => boolean;
  close(): void;
}

interface Watched {
  request?: object;
  written: boolean;
}

const CREATE = 'undici:request:create';
const SEND = 'undici:client:sendHeaders';

export function watchSent(): SentWatch {
  const watched = new WeakMap<object, Watched>();
  let dispatching: Watched | undefined;
  const onCreate = (message: unknown) => {
    if (!dispatching || dispatching.request) return;
    dispatching.request = (message as { request: object }).request;
    watched.set(dispatching.request, dispatching);
  };
  const onSend = (message: unknown) => {
    const found = watched.get((message as { request: object }).request);
    if (found) found.written = true;
  };
  // The channels must have their subscribers before undici looks at them.
  subscribe(CREATE, onCreate);
  subscribe(SEND, onSend);
  return {
    watch(dispatch) {
      const mine: Watched = { written: false };
      dispatching = mine;
      try {
        dispatch();
      } finally {
        dispatching = undefined;
      }
      // A request that undici never announced counts as written: doubt is never proof.
      return () => mine.request === undefined || mine.written;
    },
    close: () => {
      unsubscribe(CREATE, onCreate);
      unsubscribe(SEND, onSend);
    },
  };
}
