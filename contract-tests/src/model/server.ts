import { createHash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { appendFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answer, json, refuse } from './answer.ts';
import { describeFacts, say } from './completion.ts';
import { type ChatRequest, factsOf } from './conversation.ts';
import { findRule } from './match.ts';
import { bodyOf, chatRequest } from './request.ts';
import type { Rule, Script } from './script.ts';
import { extractAll } from './template.ts';
import { validateScript } from './validate.ts';

/** A request as it arrived. No credential is kept, only whether one came. */
export interface RecordedRequest {
  /** 1 for the first request to this process. */
  readonly n: number;
  /** RFC 3339. */
  readonly at: string;
  readonly path: string;
  readonly authorized: boolean;
  /** The how-manieth copy of this very request. */
  readonly attempt: number;
  /** The rule that answered: its name or its number from 0; absent when none did. */
  readonly rule?: string;
  readonly body: ChatRequest;
}

export interface ModelOptions {
  readonly script: Script;
  readonly host?: string;
  /** 0, the default: a free one. */
  readonly port?: number;
  /** A file that gets one JSON line per request. */
  readonly record?: string;
}

export interface Model {
  /** The origin, without a path. */
  readonly url: string;
  /** What goes into `OPENAI_BASE_URL`. */
  readonly baseUrl: string;
  /** Every chat completion that was asked for, in order of arrival. */
  readonly requests: readonly RecordedRequest[];
  close(): Promise<void>;
}

interface Served {
  readonly options: ModelOptions;
  readonly requests: RecordedRequest[];
  readonly attempts: Map<string, number>;
  readonly closing: AbortController;
}

/** Starts the scripted model. The script is checked first (`ScriptError`); rejects when the port is taken. */
export async function startModel(options: ModelOptions): Promise<Model> {
  validateScript(options.script);
  const closing = new AbortController();
  // Each answer on its way listens to it, and Node takes more than ten of them for a leak.
  setMaxListeners(0, closing.signal);
  const served: Served = { options, requests: [], attempts: new Map(), closing };
  const server = createServer((request, response) => {
    handle(served, request, response).catch((error: unknown) => {
      if (served.closing.signal.aborted || response.destroyed) return;
      if (response.headersSent) response.destroy();
      else refuse(response, 500, String(error), 'server_error');
    });
  });
  await listening(server, options.port ?? 0, options.host ?? '127.0.0.1');
  const { address, port, family } = server.address() as AddressInfo;
  const url = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  return { url, baseUrl: `${url}/v1`, requests: served.requests, close: () => closed(server, served.closing) };
}

function listening(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function closed(server: Server, closing: AbortController): Promise<void> {
  closing.abort();
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function handle(served: Served, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = new URL(request.url ?? '/', 'http://model').pathname;
  if (request.method === 'GET' && path === '/__requests') return json(response, 200, { items: served.requests });
  const authorized = isAuthorized(served.options.script, request);
  if (!authorized)
    return refuse(response, 401, 'Incorrect API key provided.', 'invalid_request_error', 'invalid_api_key');
  if (request.method === 'GET' && path.endsWith('/models'))
    return json(response, 200, modelList(served.options.script));
  if (request.method !== 'POST' || !path.endsWith('/chat/completions')) {
    return refuse(response, 404, `${request.method} ${path} is not served here`, 'invalid_request_error');
  }
  const chat = chatRequest(await bodyOf(request));
  if (typeof chat === 'string') return refuse(response, 400, chat, 'invalid_request_error');
  return complete(served, { chat, path, authorized: request.headers.authorization !== undefined }, response);
}

async function complete(
  served: Served,
  asked: { chat: ChatRequest; path: string; authorized: boolean },
  response: ServerResponse,
): Promise<void> {
  const { script } = served.options;
  const attempt = countCopy(served.attempts, asked.chat);
  const found = findRule(script.rules, asked.chat, attempt);
  const rule = found && ruleName(found.rule, script.rules);
  const { chat, path, authorized } = asked;
  remember(served, { path, authorized, attempt, ...(rule !== undefined && { rule }), body: chat });
  if (found === undefined) {
    const facts = factsOf(chat);
    return refuse(response, 400, `no rule of the script holds: ${facts ? describeFacts(facts) : ''}`, 'no_rule');
  }
  const said = say(found.rule.reply, extractAll(found.rule, found.facts), chat);
  return answer(response, { ...script.defaults, ...found.rule.reply }, said, chat, served.closing.signal);
}

/** The only thing that a restart forgets, and it matters to `attempt` alone. */
function countCopy(attempts: Map<string, number>, chat: ChatRequest): number {
  const key = createHash('sha256').update(JSON.stringify(chat)).digest('base64url');
  const attempt = (attempts.get(key) ?? 0) + 1;
  attempts.set(key, attempt);
  return attempt;
}

const ruleName = (rule: Rule, rules: readonly Rule[]) => rule.name ?? String(rules.indexOf(rule));

function remember(served: Served, seen: Omit<RecordedRequest, 'n' | 'at'>): void {
  const recorded = { n: served.requests.length + 1, at: new Date().toISOString(), ...seen };
  served.requests.push(recorded);
  if (served.options.record !== undefined) appendFileSync(served.options.record, `${JSON.stringify(recorded)}\n`);
}

function isAuthorized(script: Script, request: IncomingMessage): boolean {
  return script.apiKey === undefined || request.headers.authorization === `Bearer ${script.apiKey}`;
}

function modelList(script: Script): unknown {
  const data = (script.models ?? ['scripted']).map((id) => ({
    id,
    object: 'model',
    created: 0,
    owned_by: 'turnwire-contract',
  }));
  return { object: 'list', data };
}
