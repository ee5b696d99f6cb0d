/**
 * The bodies of the wire under plain names. Readers ignore fields that they do not know (TW-GEN-012), and what an older
 * peer may leave out is optional here even where the documents require it of a new one.
 */

/** Any JSON value. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [name: string]: JsonValue };

/** One violation: a JSON Pointer into what was sent, and what is wrong there. */
export interface ProblemEntry {
  path: string;
  message: string;
}

/** An RFC 9457 problem of ours (TW-GEN-004). */
export interface ProblemBody {
  type?: string;
  title?: string;
  status?: number;
  detail?: string;
  code: string;
  problems?: ProblemEntry[];
  [member: string]: unknown;
}

/** What an agent may use up in one turn. */
export interface Limits {
  maxToolCalls?: number;
  maxOutputTokens?: number;
  maxTotalTokens?: number;
  deadlineSeconds?: number;
}

/** An Agent as an admission carries it. */
export interface AgentDefinition {
  model: string;
  instructions: string;
  limits?: Limits;
  thinkingLevel?: string;
}

/** The body of an admission (TW-ADM-002, TW-ADM-008, TW-ADM-009). */
export interface AdmitBody {
  message: string;
  definition?: AgentDefinition;
  model?: string;
  thinkingLevel?: string;
  limits?: Limits;
  turnId?: string;
  notices?: string[];
}

/** The Harness's acceptance of a prompt: the durable handle of a Submission. */
export interface Admission {
  streamUrl: string;
  offset: string;
  submissionId: string;
}

/** How a Submission ended. */
export interface Settlement {
  outcome: 'completed' | 'failed' | 'aborted';
  error?: { code: string; message: string };
}

/** A part of a message in a history. */
export type MessagePart =
  | { type: 'text'; text: string }
  | { type: 'tool-call'; id: string; name: string; input: JsonValue }
  | { type: 'tool-result'; id: string; name: string; text: string; isError: boolean };

/** One message of a conversation. */
export interface Message {
  id: string;
  role: 'system' | 'user' | 'assistant' | 'tool';
  parts: MessagePart[];
}

interface RecordBase {
  submissionId: string;
  turnId?: string;
  /** RFC 3339. */
  at: string;
}

/** One record of a Submission's stream (TW-STR-029). */
export type StreamRecord = RecordBase &
  (
    | { type: 'submission.queued' }
    | { type: 'submission.started' }
    | { type: 'submission.waiting'; deliveryId: string }
    | { type: 'message.appended'; message: Message }
    | { type: 'message.delta'; messageId: string; text: string }
    | { type: 'tool.called'; name: string }
    | { type: 'tool.answered'; name: string; outcome: string; ms: number }
    | { type: 'usage'; inputTokens: number; outputTokens: number; cachedInputTokens?: number }
    | ({ type: 'submission.settled' } & Settlement)
  );

/** A conversation as `view=history` answers it (TW-HIS-001). */
export interface History {
  conversationId: string;
  incarnation: string;
  offset: string;
  messages: Message[];
  submissions: {
    submissionId: string;
    turnId?: string;
    state: 'queued' | 'running' | 'waiting' | 'settled';
    settlement?: Settlement;
  }[];
}

/** What an abort ended (TW-ABT-005). */
export interface Aborted {
  aborted: boolean;
  submissionIds: string[];
}

/** `/.well-known/turnwire` of a Harness. */
export interface HarnessInfo {
  role: 'harness';
  version: string;
  software: { name: string; version: string };
  store: string;
  capabilities: { idempotentAdmissions?: boolean; fencedAbort?: boolean; submissionStreams?: boolean };
}

/** `/.well-known/turnwire` of an Orchestrator. */
export interface OrchestratorInfo {
  role: 'orchestrator';
  version: string;
  software: { name: string; version: string };
  capabilities: { clientDeliveryIds?: boolean; [name: string]: boolean | undefined };
}

/** One thing that an Agent can pick. `input` is a JSON Schema. */
export interface MenuItem {
  name: string;
  description?: string;
  input: { [keyword: string]: JsonValue };
}

/** What the Harness reads before and during a turn. */
export interface Surface {
  iid: string;
  turnId: string;
  runId: string;
  menu: MenuItem[];
  allowed: string[];
  capabilities: { clientDeliveryIds?: boolean };
}

/** The answer to a pick. An absent `moved` is not `false`, and an absent `allowed` is not empty. */
export interface Receipt {
  status: 'delivered';
  deliveryId?: string;
  event?: string;
  moved?: boolean;
  turnComplete?: boolean;
  allowed?: string[];
  answer?: JsonValue;
  answerError?: string;
  endedBy?: string;
}

/** A pick that was taken and is not answered yet. */
export interface Outstanding {
  status: 'outstanding';
  deliveryId: string;
  event?: string;
}

/** A workflow as `GET /workflows` shows it. */
export interface WorkflowView {
  name: string;
  status?: string;
  [member: string]: unknown;
}

/** A run as `GET /runs` shows it. */
export interface RunView {
  runId: string;
  workflow: string;
  status: 'active' | 'done' | 'error' | 'cancelled' | 'drifted';
  value: JsonValue;
  context: JsonValue;
  executions: { executionId: string; agent: string; status: string }[];
  gates: {
    gate: string;
    gateId: string;
    accepts: { name: string; description?: string; input: JsonValue }[];
    meta?: JsonValue;
    since: string;
  }[];
  fault?: { code: string; message?: string; [member: string]: unknown };
  startedAt: string;
  endedAt?: string;
  [member: string]: unknown;
}

/** One page of a list (TW-GEN-014). */
export interface Page<Item> {
  items: Item[];
  nextCursor?: string;
}

/** One frame of a feed: the SSE event's name, its id when it has one, and its data. */
export interface FeedEvent {
  event: string;
  id?: string;
  data: { [member: string]: JsonValue };
}
