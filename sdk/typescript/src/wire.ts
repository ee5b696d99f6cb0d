/**
 * The bodies of the wire under plain names, from the documents. Readers ignore fields that they do not know (TW-GEN-012);
 * what an older peer may leave out of a receipt is optional here (TW-DLV-007).
 */
import type { components as HarnessDocument } from './gen/harness.ts';
import type { components as OrchestratorDocument } from './gen/orchestrator.ts';

type Harness = HarnessDocument['schemas'];
type Orchestrator = OrchestratorDocument['schemas'];

/** Any JSON value. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [name: string]: JsonValue };

/** A JSON Schema, draft 2020-12, as an object. */
export type JsonSchema = { [keyword: string]: JsonValue };

/** A generated type with `JsonValue` where it says `unknown`, and schemas as objects: no role of ours sends a bare boolean. */
type Wire<Type> = unknown extends Type
  ? JsonValue
  : boolean extends Type
    ? Record<string, never> extends Type
      ? JsonSchema
      : Type
    : Type extends (infer Item)[]
      ? Wire<Item>[]
      : Type extends object
        ? { [Name in keyof Type]: Wire<Type[Name]> }
        : Type;

/** One violation: a JSON Pointer into what was sent, and what is wrong there. */
export type ProblemEntry = Harness['InputProblem'];

/** An RFC 9457 problem of ours (TW-GEN-004); `code` is one of `protocol.problemCodes`. */
export type ProblemBody = Partial<Omit<Wire<Orchestrator['Problem']>, 'code'>> & {
  code: string;
  [member: string]: unknown;
};

/** What an agent may use up in one turn. */
export type Limits = Harness['Limits'];
/** An Agent as an admission carries it. */
export type AgentDefinition = Harness['AgentDefinition'];
/** The body of an admission (TW-ADM-002, TW-ADM-008, TW-ADM-009). */
export type AdmitBody = Harness['AdmissionRequest'];
/** The Harness's acceptance of a prompt: the durable handle of a Submission. */
export type Admission = Harness['Admission'];
/** How a Submission ended. */
export type Settlement = Harness['Settlement'];
/** One message of a conversation. */
export type Message = Wire<Harness['Message']>;
/** A part of a message. */
export type MessagePart = Wire<Harness['MessagePart']>;
/** One record of a Submission's stream (TW-STR-029). */
export type StreamRecord = Wire<Harness['StreamRecord']>;
/** A conversation as `view=history` answers it (TW-HIS-001). */
export type History = Wire<Harness['History']>;
/** What an abort ended (TW-ABT-005). */
export type Aborted = Harness['AbortResult'];
/** `/.well-known/turnwire` of a Harness. */
export type HarnessInfo = Harness['HarnessInfo'];
/** `/.well-known/turnwire` of an Orchestrator. */
export type OrchestratorInfo = Orchestrator['OrchestratorInfo'];
/** One thing that can be picked. */
export type MenuItem = Wire<Orchestrator['MenuItem']>;
/** What the Harness reads before and during a turn. */
export type Surface = Wire<Orchestrator['Surface']>;
/** The answer to a pick. An absent `moved` is not `false`, and an absent `allowed` is not empty. */
export type Receipt = Pick<Orchestrator['Receipt'], 'status'> & Partial<Omit<Wire<Orchestrator['Receipt']>, 'status'>>;
/** A pick that was taken and is not answered yet. */
export type Outstanding = Pick<Orchestrator['Outstanding'], 'status' | 'deliveryId'> &
  Partial<Orchestrator['Outstanding']>;
/** A workflow as `GET /workflows` shows it. */
export type WorkflowView = Wire<Orchestrator['WorkflowView']>;
/** An open gate, and what it takes. */
export type GateView = Wire<Orchestrator['GateView']>;
/** A run as it is committed (TW-RUN-006). */
export type RunView = Wire<Orchestrator['RunView']>;

/** An agent that a node has. */
export type NodeAgent = Wire<Orchestrator['NodeAgent']>;
/** What a node says when it registers (TW-NOD-003). */
export type NodeRegistration = Wire<Orchestrator['NodeRegistration']>;
/** How often a node is to heartbeat, and how long it is held to live without. */
export type NodeRegistered = Orchestrator['NodeRegistered'];
/** What a node says of itself. */
export type NodeLifecycle = Orchestrator['NodeLifecycle'];
/** A node as it is committed (TW-NOD-019). */
export type NodeView = Wire<Orchestrator['NodeView']>;
/** A call of an agent of a node. */
export type CallRequest = Wire<Orchestrator['CallRequest']>;
/** An execution that succeeded. */
export type ExecutionResult = Wire<Orchestrator['ExecutionResult']>;
/** An execution that goes on. */
export type ExecutionAccepted = Orchestrator['ExecutionAccepted'];
/** An execution as it is committed. */
export type ExecutionRecord = Wire<Orchestrator['ExecutionRecord']>;

/** One page of a list (TW-GEN-014). */
export interface Page<Item> {
  items: Item[];
  nextCursor?: string;
}

/** One frame of a feed: the SSE event's name, its id when it has one, and its data with the record's fields. */
export interface FeedEvent {
  event: string;
  id?: string;
  data: { [member: string]: JsonValue };
}
