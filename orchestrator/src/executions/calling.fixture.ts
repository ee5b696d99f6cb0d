/** Calls through a whole host: nodes that come and go on real sockets, and what arrived at them. */
import { FakeHarness, type Submission } from '../host/harness.fixture.ts';
import { until, World, type WorldOptions } from '../host/world.fixture.ts';
import type { NodeRegistration } from '../nodes/port.ts';
import { codingMachine } from '../run/machines.fixture.ts';
import { registrationOf } from './nodes.fixture.ts';

export class Calling {
  readonly #started: FakeHarness[] = [];

  private constructor(readonly world: World) {}

  static async open(options: Partial<WorldOptions> = {}): Promise<Calling> {
    return new Calling(await World.open({ machine: codingMachine(), graceMs: 1_500, ...options }));
  }

  get executions() {
    return this.world.host.executions;
  }

  /** A process of a node; it answers every call with `result`. */
  async process(result: unknown = 'fine', port = 0): Promise<FakeHarness> {
    const harness = await new FakeHarness().start(port);
    harness.onSubmission = (submission) => void this.answer(harness, submission, result);
    this.#started.push(harness);
    return harness;
  }

  register(nodeId: string, harness: { url: string }, more: Partial<NodeRegistration> = {}): Promise<void> {
    return this.world.nodes.register(nodeId, registrationOf(harness.url, more));
  }

  async down(nodeId: string): Promise<void> {
    const { instanceId, moves } = this.world.nodes.get(nodeId) ?? { instanceId: '', moves: 0 };
    if (!(await this.world.nodes.demote(nodeId, { instanceId, moves }))) throw new Error(`${nodeId} is not down`);
  }

  /** As a Harness does: its admission is answered long before its model has an answer. */
  async answer(harness: FakeHarness, submission: Submission, result: unknown): Promise<unknown> {
    const { iid, turnId } = submission;
    const placement = (await until('the admission', () => this.#running(iid))).placement;
    const input = { result } as never;
    const given = await this.world.host.pick(placement, iid, { turnId, event: 'answer', input });
    harness.settle(submission);
    return given;
  }

  async call(target = 'laptop.echo', input: unknown = 'hello', more: object = {}): Promise<string> {
    return (await this.executions.start({ target, input: input as never, ...more })).executionId;
  }

  async ended(executionId: string) {
    const record = await this.executions.read(executionId, 20_000);
    if (!record?.endedAt) throw new Error(`not ended: ${JSON.stringify(record)}`);
    return record;
  }

  async statuses(executionId: string): Promise<string[]> {
    return ((await this.executions.read(executionId))?.timeline ?? []).map(({ status }) => status);
  }

  waits(executionId: string): Promise<boolean> {
    return until('the wait', async () => (await this.executions.read(executionId))?.status === 'awaiting_restart');
  }

  async close(): Promise<void> {
    await this.world.close();
    for (const harness of this.#started) await harness.stop().catch(() => {});
  }

  async #running(iid: string) {
    return (await this.executions.list({ status: 'running' })).items.find((one) => one.iid === iid);
  }
}

/** An address that refuses: its process is gone. */
export async function goneAddress(): Promise<{ url: string; port: number }> {
  const harness = await new FakeHarness().start();
  const { url } = harness;
  await harness.stop();
  return { url, port: Number(new URL(url).port) };
}
