import type { Timeline } from './timeline.ts';
import { type FeedFrame, follow, type Peer } from './wire.ts';

interface RunNow {
  readonly runId: string;
  readonly status: string;
  readonly value: unknown;
  readonly executions: readonly { executionId: string; status: string }[];
  readonly gates: readonly { gateId: string }[];
}

/** The Orchestrator's feed so far, through its restarts, and a way to wait for what it shows. */
export class Feed {
  private readonly frames: FeedFrame[] = [];
  private readonly seen = new Set<string>();
  private readonly waiting = new Set<() => void>();
  private readonly ended = new AbortController();

  constructor(
    readonly peer: Peer,
    private readonly timeline: Timeline,
  ) {
    void follow(peer, (frame) => this.take(frame), this.ended.signal);
  }

  /** Waits for a frame; one that already came counts. */
  until(matches: (frame: FeedFrame) => boolean): Promise<FeedFrame> {
    return new Promise((resolve) => {
      const look = () => {
        const found = this.frames.find(matches);
        if (!found) return;
        this.waiting.delete(look);
        resolve(found);
      };
      this.waiting.add(look);
      look();
    });
  }

  close(): void {
    this.ended.abort();
  }

  private take(frame: FeedFrame): void {
    // The feed is level-triggered: what happened while nobody listened, the next snapshot shows as it is now.
    const frames = frame.type === 'snapshot' ? fromSnapshot(frame) : [frame];
    for (const one of frames) {
      const key = JSON.stringify([one.type, one.data.runId, identity(one)]);
      if (this.seen.has(key)) continue;
      this.seen.add(key);
      this.frames.push(one);
      this.timeline.frame(one);
    }
    for (const wake of this.waiting) wake();
  }
}

/** What makes two frames the same news, whether a snapshot or an event brought it. */
function identity({ type, data }: FeedFrame): unknown {
  if (type === 'gate.opened') return (data.gate as { gateId: string }).gateId;
  if (type === 'run.status') return [data.status, data.value];
  if (type.startsWith('execution.')) return data.executionId;
  return data.id;
}

function fromSnapshot({ data }: FeedFrame): FeedFrame[] {
  return (data.runs as RunNow[]).flatMap(({ runId, status, value, executions, gates }) => [
    ...executions.map(({ executionId, status: now }) => ({ type: `execution.${now}`, data: { runId, executionId } })),
    ...gates.map((gate) => ({ type: 'gate.opened', data: { runId, gate } })),
    ...(status === 'active' ? [] : [{ type: 'run.status', data: { runId, status, value } }]),
  ]);
}
