/** The steps of a check about nodes and what they are called for. */
import { anything, type Check, flag, list, oneOf, record, shape, text, whole } from '../shape.ts';

interface Sent {
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface NodeSteps {
  /** A new process of a node, known by `as` (`node` when absent): `{nodeId, instanceId, baseUrl, token}`. It registers and heartbeats. */
  readonly node?: {
    /** Of another step's node: a second process under its name. */
    readonly nodeId?: string;
    readonly agents?: readonly unknown[];
    readonly deployment?: 'resident' | 'serverless';
    /** Its port refuses, although it registers. */
    readonly listens?: boolean;
    readonly registers?: boolean;
    /** What its heartbeats say, or none; `ready` when absent. */
    readonly beats?: string | false;
    /** It answers its probes 503. */
    readonly sick?: boolean;
  };
  readonly nodeDown?: string;
  readonly nodeListens?: string;
  /** A registration by hand; `body` is laid over the usual one. */
  readonly register?: Sent & {
    readonly of?: string;
    readonly nodeId?: string;
    readonly body?: Record<string, unknown>;
  };
  readonly beat?: Sent & {
    readonly of?: string;
    readonly nodeId?: string;
    readonly instanceId?: string;
    readonly lifecycle?: string;
  };
  /** Asks for the node until it is as expected. */
  readonly nodeView?: { readonly of?: string; readonly withinMs?: number };
  /** `POST /executions`, asynchronous unless `prefer` says otherwise; known as `execution`. */
  readonly execute?: Sent & {
    readonly target?: unknown;
    readonly input?: unknown;
    readonly prefer?: string;
    readonly key?: string;
    readonly timeoutSeconds?: number;
    readonly usageContext?: string;
    readonly body?: Record<string, unknown>;
  };
  /** Asks for the execution until it is as expected. */
  readonly execution?: { readonly of?: string; readonly withinMs?: number };
  readonly cancelExecution?: Sent & { readonly of?: string };
  readonly replay?: Sent & { readonly of?: string; readonly body?: Record<string, unknown>; readonly key?: string };
}

const sent = { token: anything, headers: record(text) };
const named = { ...sent, of: text, nodeId: text };

export const nodeParts: Readonly<Record<string, Check>> = {
  node: shape({
    ...{ nodeId: text, agents: list(anything), deployment: oneOf('resident', 'serverless') },
    ...{ listens: flag, registers: flag, beats: anything, sick: flag },
  }),
  ...{ nodeDown: text, nodeListens: text },
  register: shape({ ...named, body: record(anything) }),
  beat: shape({ ...named, instanceId: text, lifecycle: text }),
  nodeView: shape({ of: text, withinMs: whole(1) }),
  execute: shape({
    ...{ ...sent, target: anything, input: anything, prefer: text, key: text, usageContext: text },
    ...{ timeoutSeconds: anything, body: record(anything) },
  }),
  execution: shape({ of: text, withinMs: whole(1) }),
  cancelExecution: shape({ ...sent, of: text }),
  replay: shape({ ...sent, of: text, body: record(anything), key: text }),
};
