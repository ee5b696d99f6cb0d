/**
 * The wait for a Settlement at a node that may move. While the old process answers, it is asked: in a rolling update it ends its
 * turns there. When it does not, the node's address of now is asked, and so on in turn; neither silence nor a new process that does
 * not know the conversation ends the wait by itself (TW-EXE-034).
 */
import { type Retry, rungMs, TurnwireFault } from '@turnwire/sdk';
import type { Settlement } from '../run/state.ts';
import type { HostClock } from './clock.ts';

export interface StreamAt {
  path: string;
  offset: string;
  /** Where the Admission was made. */
  address: string;
}

export interface StreamCall {
  signal: AbortSignal;
  onRetry(retry: Retry): void;
}

export interface StreamPorts {
  /** The node's address by its record. */
  current(): string | undefined;
  /** One wait at one address; `moved` hears each offset that is safely behind it. */
  wait(address: string, at: { path: string; offset: string }, call: StreamCall): Promise<Settlement>;
  clock: HostClock;
  random(): number;
}

export async function followNode(at: StreamAt, ports: StreamPorts, signal: AbortSignal): Promise<Settlement> {
  const { path, offset } = at;
  let address = at.address;
  for (let rung = 0; ; rung += 1) {
    const elsewhere = () => otherThan(address, at.address, ports.current());
    const leaving = leaves(signal, () => elsewhere() !== undefined);
    try {
      return await ports.wait(address, { path, offset }, leaving);
    } catch (error) {
      const next = elsewhere();
      // Whoever is at an address that the node has left, what he says ends nothing.
      const foreign = address !== ports.current() || (isGone(error) && address !== at.address);
      if (signal.aborted || next === undefined || !(leaving.left() || foreign)) throw error;
      address = next;
    } finally {
      leaving.end();
    }
    await ports.clock.sleep(rungMs(rung, ports.random), signal);
  }
}

/** Where else it could be: at the address of now, or where it was admitted. */
function otherThan(address: string, admitted: string, current: string | undefined): string | undefined {
  if (current !== undefined && current !== address) return current;
  return admitted === address ? undefined : admitted;
}

/** A call that is left as soon as an attempt has failed and there is another address to ask. */
function leaves(signal: AbortSignal, mayLeave: () => boolean) {
  const controller = new AbortController();
  const abort = () => controller.abort();
  let left = false;
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return {
    signal: controller.signal,
    onRetry: ({ certainty }: Retry) => {
      if (certainty === 'answered' || !mayLeave()) return;
      left = true;
      abort();
    },
    left: () => left,
    end: () => signal.removeEventListener('abort', abort),
  };
}

const isGone = (error: unknown): boolean =>
  error instanceof TurnwireFault && (error.code === 'conversation_lost' || error.code === 'stream_gone');
