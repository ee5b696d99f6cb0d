/** The way to the Orchestrator through the Custodian, made of the SDK's seats. */
import { type Connection, deliver, type JsonValue, surface, TurnwireFault } from '@turnwire/sdk';
import type { AgentSurface, MenuItem, SurfaceRead } from './port.ts';

/**
 * `connection`: to the Custodian, with the Stand-in as its token.
 * The trace of each request is its own, where the turn is recorded, else that of its admission.
 */
export function agentSurface(connection: Connection): AgentSurface {
  return {
    read: (request, signal, traceparent) => read(connection, request, callOf(signal, traceparent)),
    deliver: ({ resume, input, ...pick }, signal, traceparent) =>
      deliver(
        connection,
        { ...pick, input: input as JsonValue, ...(resume && { resume: 'poll' as const }) },
        callOf(signal, traceparent),
      ),
  };
}

const callOf = (signal: AbortSignal, traceparent: string | undefined) => ({
  signal,
  ...(traceparent !== undefined && { headers: { traceparent } }),
});

async function read(
  connection: Connection,
  request: { iid: string; etag?: string; step: boolean },
  call: { signal: AbortSignal; headers?: Record<string, string> },
): Promise<SurfaceRead> {
  try {
    const answer = await surface(connection, request, call);
    if (answer.status === 'unchanged') return { status: 'unchanged' };
    const { turnId, menu, allowed, capabilities } = answer.surface;
    return {
      status: 'ok',
      turnId,
      menu: menu as readonly MenuItem[],
      allowed,
      clientDeliveryIds: capabilities?.clientDeliveryIds === true,
      ...(answer.etag !== undefined && { etag: answer.etag }),
    };
  } catch (error) {
    if (!(error instanceof TurnwireFault)) throw error;
    return failedRead(error);
  }
}

/** An answer of ours is its code's meaning; everything else is that nobody could be asked (TW-TRN-015). */
function failedRead(fault: TurnwireFault): SurfaceRead {
  if (fault.code === 'turn_over') return { status: 'turn_over' };
  const refused =
    fault.code === 'surface_refused' || (fault.certainty === 'answered' && fault.code !== 'surface_unreachable');
  return { status: refused ? 'refused' : 'unreachable', message: `${fault.message} (${fault.address})` };
}
