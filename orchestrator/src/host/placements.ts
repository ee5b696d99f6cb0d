/** Where Harnesses are. A fixed address today; a registry of nodes has the same face. */
export interface Placement {
  /** Absolute http or https URL. */
  readonly baseUrl: string;
  /** The harness token: sent to the origin of `baseUrl` alone (TW-TOK-008). */
  readonly token: string;
  /** What its node said of itself, and when; of a fixed address it is learned. */
  readonly said?: {
    readonly at: number;
    readonly store?: string;
    readonly capabilities: { idempotentAdmissions: boolean; fencedAbort: boolean; submissionStreams: boolean };
  };
}

export interface Placements {
  get(name: string): Placement | undefined;
  names(): string[];
}

/** One placement at one address, for as long as the process lives. */
export function fixedPlacements(entries: Readonly<Record<string, Placement>>): Placements {
  return { get: (name) => entries[name], names: () => Object.keys(entries) };
}
