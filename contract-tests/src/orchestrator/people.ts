/** People and agents who act while something else of the same step goes on. */
import { mismatch } from '../harness/expect.ts';
import type { SubjectProcess } from '../harness/subject.ts';
import { NoAnswer } from '../harness/wire.ts';
import type { Program } from './programs.ts';
import { pickCall } from './requests.ts';
import type { Scene } from './scene.ts';
import type { ProcessHost } from './stage.ts';
import { perform } from './steps.ts';

const steps =
  (...all: Parameters<typeof perform>[1][]): Program =>
  async (in_) => {
    for (const step of all) await perform(in_, step);
  };

const finish = { pick: { event: 'finish', input: { summary: 's' } } };
const approve = { gate: { gate: 'merge', event: 'approve' } };

export const answerBlue = steps({ gate: { gate: 'question', event: 'say', input: { text: 'blue' } } });
export const halt = steps({ gate: { gate: 'watch', event: 'halt' } });
export const finishAndApprove = steps(finish, { settle: {} }, approve);
export const noteFinishApprove = steps({ pick: { event: 'note' } }, finish, { settle: {} }, approve);
export const nudgeAndReject = steps({ settle: {} }, { admitted: 2, as: 'second' }, finish, {
  gate: { gate: 'merge', event: 'reject', input: { reason: 'rejected' } },
});

/** Each of two agents picks what its surface offers. */
export const eachPicksItsOwn: Program = async (in_) => {
  for (const of of ['turn', 'second']) {
    const { iid } = in_.known[of] as { iid: string };
    const surface = await in_.call({ path: `/agents/${iid}/surface`, token: in_.host.tokens.placement });
    const [event] = (surface.json as { allowed?: string[] }).allowed ?? [];
    await perform(in_, { pick: { of, event: String(event) }, expect: { status: 200, body: { turnComplete: true } } });
    await perform(in_, { settle: { of } });
  }
};

/** Picks until nobody answers any more; then the next process must know exactly those that were answered. */
export const picksWhileStopping: Program = async (in_) => {
  const { process } = in_.host;
  if (!process) return;
  const taken = new Set<string>();
  const refused = new Set<string>();
  let going = true;
  const agent = async (name: string) => {
    for (let n = 0; going; n += 1) {
      const deliveryId = `${name}-${n}`;
      const answer = await in_.call(pickCall(in_, { event: 'note', deliveryId })).catch((error: unknown) => {
        if (error instanceof NoAnswer) return undefined;
        throw error;
      });
      if (answer?.status === 200) taken.add(deliveryId);
      else if (answer?.status === 503) refused.add(deliveryId);
      else return;
    }
  };
  const agents = ['a', 'b', 'c'].map(agent);
  await new Promise((resolve) => setTimeout(resolve, 150));
  process.signal('SIGTERM');
  const code = await process.exit(12_000);
  going = false;
  await Promise.all(agents);
  if (code !== 0) in_.wrong(`ended with ${code}`, 'end with 0', 'TW-DRN-007');
  await perform(in_, { start: {} });
  await perform(in_, { view: {}, expect: { context: { notes: { $atLeast: taken.size } } } });
  for (const deliveryId of refused) {
    const path = `/agents/${(in_.known.turn as { iid: string }).iid}/deliveries/${deliveryId}`;
    const { status } = await in_.call({ path, token: in_.host.tokens.placement });
    if (status !== 404) in_.wrong(`knows a pick that it refused (${status})`, 'not have taken it', 'TW-PIC-010');
  }
};

/**
 * Not before 3 s after its start, and then at once: also right after a start that was slow. A delay that was counted anew would end
 * 3 s after the process began.
 */
export const lastedThreeSeconds: Program = async (in_) => {
  const { runId } = in_.known.run as { runId: string };
  const view = (await in_.call({ path: `/runs/${runId}` })).json as { startedAt: string; endedAt: string };
  const [startedAt, endedAt] = [Date.parse(view.startedAt), Date.parse(view.endedAt)];
  const due = Math.max(startedAt + 3_000, in_.host.process?.listeningAt ?? 0);
  const ms = endedAt - startedAt;
  if (!(ms >= 2_990 && endedAt <= due + 1_300))
    in_.wrong(`took ${ms} ms for a delay of 3 s`, 'keep the moment', 'TW-DUR-015');
};

/** Two processes on one database: the second serves nothing but its health until the first has ended. */
export const successorWaits: Program = async (in_) => {
  const first = in_.host.process;
  if (!first) return;
  const second = new Successor(first);
  try {
    await second.start();
    const asked = (path: string) => second.ask(in_, path);
    if ((await asked('/healthz')) !== 204) in_.wrong('is not healthy while it waits', 'be', 'TW-GEN-023');
    if ((await asked('/readyz')) !== 503) in_.wrong('is ready while another writes', 'wait', 'TW-DUR-008');
    await perform(in_, { gate: { gate: 'decision', event: 'more' } });
    await first.kill();
    const deadline = performance.now() + 15_000;
    while ((await asked('/readyz')) !== 204) {
      if (performance.now() > deadline) return in_.wrong('did not take over', 'take the database over', 'TW-DUR-008');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const { runId } = in_.known.run as { runId: string };
    const view = await in_.call({ url: `${second.url}/runs/${runId}` });
    const odd = mismatch({ context: { visits: 1 } }, view.json);
    if (odd !== undefined) in_.wrong(`took over a run of which ${odd}`, 'have what was committed', 'TW-DUR-017');
  } finally {
    await second.close();
  }
};

const somebody = 'somebody';

/** Every operation that wants a token, asked with the one that it wants. */
export const refusesWhileItStarts: Program = async (in_) => {
  const first = in_.host.process;
  if (!first) return;
  const { placement } = in_.host.tokens;
  const agents = (path: string, json?: object) => ({ path: `/agents/${somebody}${path}`, token: placement, json });
  const registration = { baseUrl: 'http://127.0.0.1:9', instanceId: 'i', agents: [], deployment: 'resident' };
  const capabilities = { idempotentAdmissions: true, fencedAbort: true, submissionStreams: true };
  const calls: { path: string; method?: string; token?: string; json?: object | undefined }[] = [
    ...['/workflows', '/workflows/human', '/runs', '/runs/none', '/runs/none/events', '/events'].map((path) => ({
      path,
    })),
    ...['/nodes', '/nodes/local', '/executions', '/executions/none'].map((path) => ({ path })),
    { path: '/workflows/human/runs', json: { input: { task: 't' } } },
    { path: '/runs/none/cancel', json: {} },
    { path: '/runs/none/gates/decision/events', json: { event: 'more', input: {} } },
    { path: '/nodes/local', method: 'DELETE' },
    { path: '/nodes/local', method: 'PUT', token: placement, json: { ...registration, capabilities } },
    { path: '/nodes/local/heartbeat', token: placement, json: { instanceId: 'i', lifecycle: 'ready' } },
    { path: '/executions', json: { target: 'local.worker', input: 'x' } },
    { path: '/executions/none/cancel', json: {} },
    { path: '/executions/none/replay', json: {} },
    agents('/surface'),
    agents('/events', { turnId: 't', event: 'e', input: {} }),
    agents('/deliveries/d'),
  ];
  const second = new Successor(first);
  try {
    await second.start();
    for (const { path, json, ...call } of calls) {
      const asked = { url: `${second.url}${path}`, ...(json === undefined ? {} : { json }), ...call };
      const { status, headers, method } = await in_.call(asked);
      const code = headers['turnwire-code'];
      if (status === 503 && (code === 'starting' || code === 'run_unavailable')) continue;
      in_.wrong(`answered ${method} ${path} ${status} ${code} before it has its database`, 'answer 503');
    }
  } finally {
    await second.close();
  }
};

/** A second process on the first one's files. */
class Successor {
  #process: SubjectProcess | undefined;

  constructor(readonly first: ProcessHost) {}

  get url(): string {
    return this.#process?.url ?? '';
  }

  async start(): Promise<void> {
    this.#process = await this.first.beside();
  }

  async ask(in_: Scene, path: string): Promise<number> {
    return (await in_.call({ url: `${this.url}${path}`, token: null })).status;
  }

  async close(): Promise<void> {
    await this.#process?.kill();
  }
}

/** The second copy of a full queue's admission came no sooner than it was told. */
export const secondAfterASecond: Program = async (in_) => {
  const [first, second] = in_.affair.admissions;
  const gap = (second?.at ?? 0) - (first?.at ?? 0);
  if (gap < 990) in_.wrong(`asked again after ${gap.toFixed(0)} ms`, 'wait for the second it was told', 'TW-RET-018');
};
