import { describe, expect, it } from 'vitest';
import { type Engine, EngineFailure, type StepRequest, type StepResult } from '../engine/port.ts';
import type {
  AgentSurface,
  PendingPick,
  PickRequest,
  PickResult,
  TurnClock,
  TurnEnd,
  TurnInput,
  TurnPorts,
  TurnRecord,
} from './port.ts';
import { runTurn } from './run.ts';

/** Time moves only when the test says so. */
class HandClock implements TurnClock {
  #now = 1_000_000;
  #sleepers: { at: number; wake: () => void }[] = [];
  now = () => this.#now;

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted || ms <= 0) return Promise.resolve();
    return new Promise((wake) => {
      this.#sleepers.push({ at: this.#now + ms, wake });
      signal?.addEventListener('abort', () => wake(), { once: true });
    });
  }

  async pass(ms: number): Promise<void> {
    this.#now += ms;
    for (const sleeper of this.#sleepers.filter(({ at }) => at <= this.#now)) sleeper.wake();
    this.#sleepers = this.#sleepers.filter(({ at }) => at > this.#now);
    await settled();
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

const baseInput: TurnInput = {
  submissionId: 'sub_1',
  turnId: 'turn_1',
  agentName: 'reviewer',
  iid: 'iid_1',
  definition: { model: 'openai-compatible/any', instructions: 'Review.' },
  message: 'Look.',
  notices: [],
  history: [],
};

const menu = [{ name: 'approve', input: { type: 'object' } }];
const approve: StepResult = {
  parts: [],
  toolCalls: [{ id: 'c0', name: 'approve', input: {} }],
  usage: { inputTokens: 1, outputTokens: 1 },
};
const bye: StepResult = {
  parts: [{ type: 'text', text: 'Bye.' }],
  toolCalls: [],
  usage: { inputTokens: 1, outputTokens: 1 },
};
const moved: PickResult = { code: 'moved', kind: 'answer', text: 'It moved.', turnComplete: false };

type Deliver = (request: PickRequest, signal: AbortSignal) => Promise<PickResult>;
type Ask = (request: StepRequest, n: number) => Promise<StepResult>;

interface Scene {
  end: Promise<TurnEnd>;
  clock: HandClock;
  abort: AbortController;
  suspend: AbortController;
  /** In order of what happened: surface reads, engine steps, deliveries, and what was saved. */
  seen: string[];
  saved: TurnRecord[];
  slots: (string | null)[];
}

function play(parts: {
  input?: Partial<TurnInput>;
  ask?: Ask;
  deliver?: Deliver;
  slot?: () => Promise<void>;
  abortedAlready?: boolean;
}): Scene {
  const clock = new HandClock();
  const [abort, suspend] = [new AbortController(), new AbortController()];
  const [seen, saved, slots]: [string[], TurnRecord[], (string | null)[]] = [[], [], []];
  if (parts.abortedAlready) abort.abort();
  const surface: AgentSurface = {
    read: async ({ step }) => {
      seen.push(step ? 'boundary' : 'surface');
      return { status: 'ok', turnId: 'turn_1', menu, allowed: ['approve'], clientDeliveryIds: true };
    },
    deliver: (request, signal) => {
      seen.push(request.resume ? 'poll' : 'deliver');
      return (parts.deliver ?? (async () => moved))(request, signal);
    },
  };
  let asked = 0;
  const engine: Engine = {
    step: (request) => {
      seen.push('ask');
      asked += 1;
      return (parts.ask ?? (async (_, n) => (n === 1 ? approve : bye)))(request, asked);
    },
  };
  let ids = 0;
  const ports: TurnPorts = {
    surface,
    engine,
    clock,
    newId: (prefix) => `${prefix}_${++ids}`,
    signal: abort.signal,
    suspend: suspend.signal,
    save: async (records) => {
      for (const record of records) seen.push(record.type);
      saved.push(...records);
    },
    onWaiting: (deliveryId) => {
      slots.push(deliveryId);
      return deliveryId === null ? parts.slot?.() : undefined;
    },
  };
  return { end: runTurn({ ...baseInput, ...parts.input }, ports), clock, abort, suspend, seen, saved, slots };
}

/** Waits like an outstanding delivery: until `release`, or a lookup when the signal comes. */
function held(): { deliver: Deliver; release: (result: PickResult) => void } {
  let release: (result: PickResult) => void = () => undefined;
  const answer = new Promise<PickResult>((resolve) => {
    release = resolve;
  });
  const deliver: Deliver = async (request, signal) => {
    await request.onOutstanding(request.deliveryId);
    const lookedUp = new Promise<PickResult>((resolve) =>
      signal.addEventListener('abort', () => resolve({ ...moved, code: 'taken_turn_ended', text: 'It arrived.' }), {
        once: true,
      }),
    );
    return Promise.race([answer, lookedUp]);
  };
  return { deliver, release };
}

const hang: Ask = ({ signal }) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));

const messagesOf = (scene: Scene, end: TurnEnd) =>
  [...scene.saved, ...('records' in end ? end.records : [])].flatMap((record) =>
    record.type === 'message.appended' ? [record.message] : [],
  );

describe('runTurn', () => {
  it('saves each step before the next effect, and gives the last records back with the end', async () => {
    const scene = play({});
    const end = await scene.end;
    expect(end).toMatchObject({ outcome: 'completed' });
    expect(scene.seen).toEqual([
      ...['surface', 'private.menu', 'message.appended', 'ask'],
      ...['message.appended', 'usage', 'tool.called', 'private.pick', 'deliver'],
      ...['tool.answered', 'message.appended', 'private.pick', 'boundary', 'ask'],
    ]);
    expect('records' in end && end.records.map((record) => record.type)).toEqual(['message.appended', 'usage']);
  });

  it('polls an outstanding pick for as long as it takes, without its slot', async () => {
    const { deliver, release } = held();
    const scene = play({ deliver });
    await expect.poll(() => scene.slots).toHaveLength(1);
    const waitingAt = scene.seen.indexOf('submission.waiting');
    expect(waitingAt).toBeGreaterThan(scene.seen.indexOf('deliver'));
    await scene.clock.pass(3_600_000);
    release(moved);
    expect(await scene.end).toMatchObject({ outcome: 'completed' });
    expect(scene.slots).toEqual([expect.stringMatching(/^dlv_/), null]);
    expect(scene.saved).toContainEqual({ type: 'tool.answered', name: 'approve', outcome: 'moved', ms: 3_600_000 });
  });

  it('leaves a waiting turn as it is on disk when it is suspended, and only then', async () => {
    const { deliver } = held();
    const scene = play({ deliver });
    scene.suspend.abort();
    expect(await scene.end).toEqual({ outcome: 'suspended' });
    expect(scene.saved.at(-1)).toEqual({ type: 'submission.waiting', deliveryId: expect.stringMatching(/^dlv_/) });
    const busy = play({});
    busy.suspend.abort();
    expect(await busy.end).toMatchObject({ outcome: 'completed' });
  });

  it('goes on after a restart: the pick is polled, and the model reads its answer', async () => {
    const first = play({ deliver: held().deliver });
    first.suspend.abort();
    await first.end;
    const picks = first.saved.flatMap((record) => (record.type === 'private.pick' && record.pick ? [record.pick] : []));
    const resume = JSON.parse(JSON.stringify(picks.at(-1))) as PendingPick;
    const history = messagesOf(first, { outcome: 'suspended' });
    const told: string[] = [];
    const again = play({
      input: { history, menu, resume },
      ask: async ({ history: now }) => {
        told.push(JSON.stringify(now.at(-1)));
        return bye;
      },
    });
    expect(await again.end).toMatchObject({ outcome: 'completed' });
    expect(again.seen).toEqual(['poll', 'tool.answered', 'message.appended', 'private.pick', 'boundary', 'ask']);
    expect(again.slots).toEqual([resume.deliveryId, null]);
    expect(told).toEqual([expect.stringContaining('It moved.')]);
  });
});

describe('an abort', () => {
  it('before the turn began asks nobody anything', async () => {
    const scene = play({ abortedAlready: true });
    expect(await scene.end).toMatchObject({ outcome: 'aborted', error: { code: 'aborted' }, records: [] });
    expect(scene.seen).toEqual([]);
  });

  it('ends the engine at once and keeps what was said (TW-ABT-006, TW-ABT-008)', async () => {
    const scene = play({
      ask: (request, n) => {
        request.emit({ type: 'text', text: 'I was ' });
        request.emit({ type: 'text', text: 'about to' });
        return hang(request, n);
      },
    });
    await expect.poll(() => scene.seen).toContain('message.delta');
    scene.abort.abort();
    const end = await scene.end;
    expect(end).toMatchObject({ outcome: 'aborted' });
    expect(messagesOf(scene, end).at(-1)).toMatchObject({
      role: 'assistant',
      parts: [{ type: 'text', text: 'I was about to' }],
    });
  });

  it('ends an engine that does not hear its signal', async () => {
    const scene = play({ ask: () => new Promise(() => undefined) });
    await expect.poll(() => scene.seen).toContain('ask');
    scene.abort.abort();
    expect(await scene.end).toMatchObject({ outcome: 'aborted' });
  });

  it('waits for the lookup of a pick and keeps its result (TW-ABT-007)', async () => {
    const scene = play({ deliver: held().deliver });
    await expect.poll(() => scene.slots).toHaveLength(1);
    scene.abort.abort();
    const end = await scene.end;
    expect(end).toMatchObject({ outcome: 'aborted' });
    expect(messagesOf(scene, end).at(-1)?.parts[0]).toMatchObject({ type: 'tool-result', text: 'It arrived.' });
    expect(scene.slots).toHaveLength(1);
  });

  it('does not wait for a slot that nobody gives', async () => {
    const { deliver, release } = held();
    const scene = play({ deliver, slot: () => new Promise(() => undefined) });
    await expect.poll(() => scene.slots).toHaveLength(1);
    release(moved);
    await expect.poll(() => scene.slots).toHaveLength(2);
    scene.abort.abort();
    const end = await scene.end;
    expect(end).toMatchObject({ outcome: 'aborted' });
    expect(messagesOf(scene, end).at(-1)?.role).toBe('tool');
    expect(scene.seen.filter((what) => what === 'ask')).toHaveLength(1);
  });
});

describe('the deadline', () => {
  const input = { definition: { ...baseInput.definition, limits: { deadlineSeconds: 60 } } };

  it('ends a turn that is too slow, naming the limit and the amount (TW-TRN-013)', async () => {
    const scene = play({ input, ask: hang });
    await expect.poll(() => scene.seen).toContain('ask');
    await scene.clock.pass(59_999);
    await scene.clock.pass(1);
    expect(await scene.end).toMatchObject({
      outcome: 'failed',
      error: { code: 'limit_exceeded', message: expect.stringContaining('deadlineSeconds of 60 was exceeded: 60.0') },
    });
  });

  it('does not touch one that ends before', async () => {
    expect(await play({ input }).end).toMatchObject({ outcome: 'completed' });
  });
});

describe('what observers see', () => {
  it('is at most four deltas a second, whatever the model does (TW-STR-032)', async () => {
    let release: () => void = () => undefined;
    let speak: (text: string) => void = () => undefined;
    const scene = play({
      ask: async (request) => {
        speak = (text) => request.emit({ type: 'text', text });
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        return bye;
      },
    });
    await expect.poll(() => scene.seen).toContain('ask');
    for (let tick = 0; tick < 200; tick += 1) {
      speak(`${tick} `);
      await scene.clock.pass(10);
    }
    const deltas = scene.saved.flatMap((record) => (record.type === 'message.delta' ? [record.text] : []));
    expect(deltas.length).toBeGreaterThanOrEqual(7);
    expect(deltas.length).toBeLessThanOrEqual(8);
    expect('0 1 2 3 4 5 6 7 8 9 10 '.startsWith(deltas[0] ?? '-')).toBe(true);
    release();
    expect(await scene.end).toMatchObject({ outcome: 'completed' });
  });

  it('starts again under another id when the engine begins its step again', async () => {
    const scene = play({
      ask: async (request) => {
        request.emit({ type: 'text', text: 'half' });
        request.emit({ type: 'again', reason: 'cut' });
        request.emit({ type: 'text', text: 'Bye.' });
        return bye;
      },
    });
    const end = await scene.end;
    const answers = messagesOf(scene, end).filter((message) => message.role === 'assistant');
    expect(answers).toHaveLength(1);
    const deltas = scene.saved.flatMap((record) => (record.type === 'message.delta' ? [record] : []));
    for (const delta of deltas) expect(delta.messageId === answers[0]?.id ? 'Bye.' : 'half').toContain(delta.text);
  });
});

describe('an engine that fails', () => {
  it.each([
    ['for good', new EngineFailure('the provider failed (401): no key'), 'the provider failed (401): no key'],
    ['in a way nobody thought of', new Error('boom'), 'the engine failed: Error: boom'],
  ])('%s ends the turn engine_failed (TW-TRN-014)', async (_, error, message) => {
    const scene = play({ ask: () => Promise.reject(error) });
    expect(await scene.end).toMatchObject({ outcome: 'failed', error: { code: 'engine_failed', message } });
  });
});
