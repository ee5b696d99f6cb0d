import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';

/**
 * Whether undici wrote the first byte of a request. undici publishes `request:create` in the very call that dispatches,
 * and `client:sendHeaders` when it writes the head: between the two nothing has been written.
 */
export interface SentWatch {
  /** Runs a dispatch and tells, at any later time, whether its request was written. */
  watch<T>(dispatch: () => T): { readonly result: T; readonly sent: () => boolean };
  close(): void;
}

const CREATE = 'undici:request:create';
const SEND = 'undici:client:sendHeaders';

export function watchSent(): SentWatch {
  const written = new WeakSet<object>();
  const onSend = (message: unknown) => {
    written.add((message as { request: object }).request);
  };
  // The channel must have a subscriber before undici looks at it.
  subscribe(SEND, onSend);
  return {
    watch(dispatch) {
      let request: object | undefined;
      const onCreate = (message: unknown) => {
        request ??= (message as { request: object }).request;
      };
      channel(CREATE).subscribe(onCreate);
      const result = dispatch();
      channel(CREATE).unsubscribe(onCreate);
      // A request that undici never announced counts as written: doubt is never proof.
      return { result, sent: () => request === undefined || written.has(request) };
    },
    close: () => {
      unsubscribe(SEND, onSend);
    },
  };
}
