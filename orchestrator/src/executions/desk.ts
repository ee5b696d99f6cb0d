/** Ad-hoc calls, and the records of all executions: what the API asks, on top of the loaded runs and the store. */
import { asked } from '../host/asked.ts';
import { InLine } from '../host/in-line.ts';
import type { RunTable } from '../host/run-table.ts';
import { traceOf } from '../host/trace.ts';
import { EXECUTIONS_PAGE, EXECUTIONS_PAGE_MAX } from '../limits.ts';
import { hashOf } from '../run/hash.ts';
import type { JsonValue } from '../run/json.ts';
import { HostRefusal } from '../run/refusal.ts';
import type { ExecutionRow, KeyRow } from '../run/rows.ts';
import type { CallState } from '../run/state.ts';
import { beginRun, CALL_SCOPE } from '../run/step.ts';
import { tracedStep } from '../tracing.ts';
import { CALL_WORKFLOW } from './call-machine.ts';
import type { CallRequest, ExecutionFilter, ExecutionRecord, Executions, Started } from './port.ts';
import { hasEnded, parkedAs, recordOf } from './record.ts';
import { admissible, promptOf, targetOf } from './target.ts';

/** How a request is known again, and what it does when it is not. */
interface Keyed {
  key: string | undefined;
  body: JsonValue;
  trace: string | undefined;
}

export class ExecutionDesk implements Executions {
  readonly #table: RunTable;
  /** Calls under one key wait for each other. */
  readonly #starting = new InLine();

  constructor(table: RunTable) {
    this.#table = table;
  }

  start(request: CallRequest, key?: string, trace?: string): Promise<Started> {
    return this.#keyed({ key, body: { ...request } as unknown as JsonValue, trace }, (keyed) =>
      this.#begin(request, keyed),
    );
  }

  async read(executionId: string, waitMs = 0, signal?: AbortSignal): Promise<ExecutionRecord | undefined> {
    const parked = this.#table.parked.park(parkedAs(executionId));
    const timer = new AbortController();
    const end = () => timer.abort();
    signal?.addEventListener('abort', end, { once: true });
    try {
      const first = await this.#row(executionId);
      if (!first || hasEnded(first) || waitMs <= 0 || signal?.aborted || this.#table.stopping)
        return first && recordOf(first);
      await Promise.race([parked.woken, this.#table.options.clock.sleep(waitMs, timer.signal)]);
      const then = await this.#row(executionId);
      return then && recordOf(then);
    } finally {
      signal?.removeEventListener('abort', end);
      timer.abort();
      parked.end();
    }
  }

  async list({ node, limit: wanted, cursor, ...filter }: ExecutionFilter) {
    const limit = Math.min(Math.max(wanted ?? EXECUTIONS_PAGE, 1), EXECUTIONS_PAGE_MAX);
    const after = cursor === undefined ? {} : { after: cursorOf(cursor) };
    const where = { ...filter, ...(node === undefined ? {} : { placement: node }) };
    const rows = await asked(this.#table.options.store.executionPage({ ...where, ...after, limit: limit + 1 }));
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    const items = page.map(recordOf);
    return rows.length > limit && last ? { items, nextCursor: cursorText(last) } : { items };
  }

  /** TW-EXE-018, TW-EXE-019: committed before it is answered, in the line of everything else that happens to its run. */
  async cancel(executionId: string, reason?: string): Promise<void> {
    this.#table.mustServe();
    const row = await this.#mustRow(executionId);
    const cell = hasEnded(row) ? undefined : this.#table.cell(row.runId);
    if (!cell?.run) throw new HostRefusal('already_ended', `the execution has ended: ${row.status}`);
    const why = reason === undefined ? {} : { reason };
    await asked(cell.submit(() => ({ type: 'cancelExecution', executionId, ...why }), { evenIfDrifted: true }));
  }

  async replay(executionId: string, reuse: boolean, key?: string, trace?: string) {
    this.#table.mustServe();
    const row = await this.#mustRow(executionId);
    // TW-EXE-032: from its record, so that a node that is down is no obstacle.
    if (reuse && row.status === 'succeeded') return { executionId, replayed: false, reused: true };
    const request = again(row);
    const body = { replayOf: executionId, reuse };
    const started = await this.#keyed({ key, body, trace }, (keyed) => this.#begin(request, keyed, executionId));
    return { ...started, reused: false };
  }

  /** TW-EXE-026: one scope for all; a known key is answered before the node's health is looked at. */
  async #keyed(keyed: Keyed, begin: (keyed: Keyed) => Promise<string>): Promise<Started> {
    this.#table.mustServe();
    const { key, body } = keyed;
    if (key === undefined) return { executionId: await begin(keyed), replayed: false };
    return this.#starting.run(key, async () => {
      const known = await asked(this.#table.options.store.key(CALL_SCOPE, key));
      if (!known) return { executionId: await begin(keyed), replayed: false };
      if (known.bodyHash === hashOf(body)) return { executionId: await this.#executionOf(known), replayed: true };
      throw new HostRefusal('idempotency_mismatch', 'this key was used to start an execution with another body');
    });
  }

  async #begin(request: CallRequest, { key, body, trace }: Keyed, replayOf?: string): Promise<string> {
    const { node, agent } = targetOf(request.target);
    const { output } = admissible(this.#table.nodes, node, agent);
    const { input, timeoutSeconds, usageContext } = request;
    const prompt = { prompt: promptOf(input) };
    const call: CallState = {
      node,
      agent,
      input,
      ...(output === undefined ? {} : { output }),
      ...(timeoutSeconds === undefined ? {} : { timeoutMs: Math.ceil(timeoutSeconds * 1_000) }),
      ...(usageContext === undefined ? {} : { usageContext }),
      ...(replayOf === undefined ? {} : { replayOf }),
    };
    const env = this.#table.env({ workflow: CALL_WORKFLOW, call });
    const runId = env.newId('run');
    const keyed = key === undefined ? {} : { key: { key, bodyHash: hashOf(body) } };
    const beginning = { runId, input: prompt, value: prompt, call, ...keyed, ...traceOf(trace) };
    const outcome = await tracedStep({ runId, workflow: CALL_WORKFLOW, event: 'begin', trace }, async () => {
      const began = beginRun(beginning, env);
      await asked(this.#table.group.commit(began.writes ?? {}));
      return began;
    });
    this.#table.begin(runId, outcome);
    return (outcome.run.state.turns[0] ?? noTurn(runId)).executionId;
  }

  async #executionOf({ runId }: KeyRow): Promise<string> {
    const [row] = await asked(this.#table.options.store.executions([runId]));
    return (row ?? noTurn(runId)).executionId;
  }

  #row(executionId: string): Promise<ExecutionRow | undefined> {
    return asked(this.#table.options.store.execution(executionId));
  }

  async #mustRow(executionId: string): Promise<ExecutionRow> {
    const row = await this.#row(executionId);
    if (row) return row;
    throw new HostRefusal('unknown_execution', `there is no execution ${executionId}`);
  }
}

/** @throws HostRefusal `invalid` for a Run's own turn (TW-EXE-033) */
function again({ target, input = null, timeoutSeconds, usageContext }: ExecutionRow): CallRequest {
  if (target === undefined) {
    const message = "it is a Run's own turn, and its state alone can ask for it again";
    throw new HostRefusal('invalid', message, { problems: [{ path: '', message }] as unknown as JsonValue });
  }
  return {
    target,
    input,
    ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
    ...(usageContext === undefined ? {} : { usageContext }),
  };
}

function noTurn(runId: string): never {
  throw new Error(`the call ${runId} has no turn`);
}

const cursorText = ({ startedAt, executionId }: ExecutionRow): string =>
  Buffer.from(`${startedAt} ${executionId}`).toString('base64url');

/** @throws HostRefusal `bad_request` for one that is not ours */
function cursorOf(cursor: string): { startedAt: number; executionId: string } {
  const [, startedAt, executionId] = /^(\d+) (\S+)$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (startedAt === undefined || executionId === undefined) {
    throw new HostRefusal('bad_request', 'cursor must be the nextCursor of an earlier page');
  }
  return { startedAt: Number(startedAt), executionId };
}
