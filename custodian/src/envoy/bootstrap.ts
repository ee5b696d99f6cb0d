import { cluster } from './cluster.ts';
import { healthListener, mainListener } from './listeners.ts';

/** What the bootstrap is made from. */
export interface BootstrapSettings {
  readonly listen: Address;
  readonly orchestratorUrl: string;
  readonly placement: string;
  /** Absolute: Envoy reads it when it starts, wherever it was started. */
  readonly tokenFile: string;
  readonly health?: Address;
  /** The authorities that an https Orchestrator's certificate may come from, PEM. */
  readonly caFile: string;
}

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** A complete bootstrap: what this file does not open, Envoy does not have; so no admin listener, no tracing, no xDS. */
export function bootstrap(settings: BootstrapSettings): object {
  const { health } = settings;
  return {
    node: { id: 'turnwire-custodian', cluster: settings.placement },
    static_resources: {
      listeners: [mainListener(settings), ...(health ? [healthListener(health)] : [])],
      clusters: [cluster(settings)],
    },
    layered_runtime: {
      // Nothing may stand between a chunk and the end of its line: an upstream might read that in another way.
      layers: [{ name: 'strict', static_layer: { 'envoy.reloadable_features.strict_chunk_parsing': true } }],
    },
  };
}
