/**
 * A turn runner for tests, through the same port as the real one. The message is its script, words one after another:
 * `say` appends a message, `hold` waits to be released, `wait` has an outstanding pick, `deaf` holds and hears no abort,
 * `throw` is a defect.
 */
import type { Message, RunTurn, TurnEnd, TurnInput, TurnPorts } from '../turn/port.ts';

export class ScriptedTurns {
  /** Submissions in the order in which their turns began, resumed ones too. */
  readonly began: string[] = [];
  readonly inputs: TurnInput[] = [];
  /** Turns at work now, by conversation; more than one of a conversation is a defect of the Harness. */
  readonly atWork = new Map<string, number>();
  overlaps = 0;
  readonly #released = new Map<string, () => void>();
  readonly #letGo = new Set<string>();

  /** Lets one that holds or waits go on, now or when it comes to that. */
  release(submissionId: string): void {
    this.#letGo.add(submissionId);
    this.#released.get(submissionId)?.();
  }

  readonly runTurn: RunTurn = async (input, ports) => {
    const busy = (this.atWork.get(input.iid) ?? 0) + 1;
    this.atWork.set(input.iid, busy);
    if (busy > 1) this.overlaps++;
    this.began.push(input.submissionId);
    this.inputs.push(input);
    try {
      return await this.#play(input, ports);
    } finally {
      this.atWork.set(input.iid, (this.atWork.get(input.iid) ?? 1) - 1);
    }
  };

  async #play(input: TurnInput, ports: TurnPorts): Promise<TurnEnd> {
    const words = input.message.split(' ');
    if (input.resume) words.splice(0, words.indexOf('wait'));
    else await ports.save([{ type: 'message.appended', message: text(ports, 'user', input.message) }]);
    for (const word of words) {
      if (word === 'say') await ports.save([{ type: 'message.appended', message: text(ports, 'assistant', 'said') }]);
      else if (word === 'throw') throw new Error('a defect');
      else if (word === 'deaf') await this.#held(input.submissionId, []);
      else if (word === 'hold') {
        const signal = await this.#held(input.submissionId, [ports.signal]);
        if (signal) return { outcome: 'aborted', records: [] };
      } else if (word === 'wait') {
        const end = await this.#wait(input, ports);
        if (end) return end;
      }
    }
    return { outcome: 'completed', records: [] };
  }

  async #wait(input: TurnInput, ports: TurnPorts): Promise<TurnEnd | undefined> {
    const deliveryId = input.resume?.deliveryId ?? ports.newId('dlv');
    if (!input.resume) {
      await ports.save([
        { type: 'tool.called', name: 'ask' },
        { type: 'private.pick', pick: pick(deliveryId) },
      ]);
      await ports.save([{ type: 'submission.waiting', deliveryId }]);
    }
    void ports.onWaiting(deliveryId);
    const signals = ports.suspend ? [ports.signal, ports.suspend] : [ports.signal];
    const signal = await this.#held(input.submissionId, signals);
    if (signal === ports.signal) return { outcome: 'aborted', records: [] };
    if (signal) return { outcome: 'suspended' };
    await ports.onWaiting(null);
    const answered = { type: 'tool.answered' as const, name: 'ask', outcome: 'moved', ms: 1 };
    await ports.save([answered, { type: 'private.pick', pick: null }]);
    return undefined;
  }

  /** The signal that ended it, or nothing when it was released. */
  async #held(submissionId: string, signals: readonly AbortSignal[]): Promise<AbortSignal | undefined> {
    const aborted = () => signals.find((signal) => signal.aborted);
    if (this.#letGo.delete(submissionId)) return undefined;
    await new Promise<void>((resolve) => {
      this.#released.set(submissionId, resolve);
      for (const signal of signals) signal.addEventListener('abort', () => resolve());
      if (aborted()) resolve();
    });
    this.#released.delete(submissionId);
    return this.#letGo.delete(submissionId) ? undefined : aborted();
  }
}

const text = (ports: TurnPorts, role: Message['role'], said: string): Message => ({
  id: ports.newId('msg'),
  role,
  parts: [{ type: 'text', text: said }],
});

const pick = (deliveryId: string) => ({
  deliveryId,
  toolCallId: 'call_1',
  turnId: 'turn_1',
  event: 'ask',
  input: {},
  progress: {
    startedAt: 0,
    toolCalls: 1,
    tokens: 0,
    repeated: { key: '', count: 0 },
    told: [],
    listed: [],
    clientDeliveryIds: true,
  },
});
