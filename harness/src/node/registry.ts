/** The registry of the Orchestrator, reached through the Custodian, made of the SDK's seats. */
import { type Connection, heartbeat, type NodeRegistration, registerNode, TurnwireFault } from '@turnwire/sdk';
import type { Registry } from './port.ts';

/** Neither seat has a window: they go on, on the ladder, until they have an answer or are aborted. */
export function overTheCustodian(connection: Connection, nodeId: string): Registry {
  return {
    async register(registration, signal) {
      try {
        const of = { nodeId, ...(registration as NodeRegistration) };
        const { heartbeatSeconds } = await registerNode(connection, of, { signal });
        return { is: 'registered', heartbeatSeconds };
      } catch (error) {
        return refused(error);
      }
    },
    async heartbeat(beat, signal) {
      try {
        await heartbeat(connection, { nodeId, ...beat }, { signal });
        return { is: 'taken' };
      } catch (error) {
        if (!(error instanceof TurnwireFault)) throw error;
        if (error.code === 'unknown_node') return { is: 'unknown_node' };
        if (error.code !== 'stale_instance') return refused(error);
        return { is: 'stale_instance', currentIsDown: error.problem?.health === 'inactive' };
      }
    },
  };
}

/** A final answer; where somebody aborted the call there is none, and nobody to tell. */
function refused(error: unknown): { is: 'refused'; reason: string } {
  if (!(error instanceof TurnwireFault) || error.code === 'aborted') throw error;
  const { code, problem } = error;
  const problems = (problem?.problems ?? []) as readonly { path: string; message: string }[];
  const details = problems.map(({ path, message }) => `${path} ${message}`).join('; ');
  return { is: 'refused', reason: `${code}: ${details || (problem?.detail ?? error.message)}` };
}
