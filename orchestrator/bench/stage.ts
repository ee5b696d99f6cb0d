/** An Orchestrator with its Harness, and runs on it whose agents have begun. */

import { good } from '../../contract-tests/bench/load.ts';
import { Wire } from '../../contract-tests/bench/wire.ts';
import { BenchHarness, type Turn } from './harness.ts';
import { newFolder, ready, removeFolder, type Subject, startOrchestrator, tokensIn } from './subjects.ts';

export class Stage {
  readonly folder = newFolder();
  readonly harness = new BenchHarness();
  readonly tokens = tokensIn(this.folder);
  subject!: Subject;

  static async open(): Promise<Stage> {
    const stage = new Stage();
    await stage.harness.start();
    await stage.start();
    // Its Harness is known before anything is measured.
    await new Promise((resolve) => setTimeout(resolve, 300));
    return stage;
  }

  /** @returns milliseconds until it served */
  async start(): Promise<number> {
    const startedAt = performance.now();
    this.subject = await startOrchestrator(this.folder, this.harness.url);
    await ready(this.subject);
    return performance.now() - startedAt;
  }

  async wires(count: number): Promise<Wire[]> {
    return Promise.all(Array.from({ length: count }, () => Wire.open(this.subject.url)));
  }

  /** Starts runs, each named by its number from `first`, and waits until their agents are asked. */
  async begin(count: number, first = 0): Promise<{ runId: string; turn: Turn }[]> {
    const wires = await this.wires(Math.min(32, count));
    const numbers = Array.from({ length: count }, (_, index) => first + index);
    const runs = new Map<number, string>();
    const next = numbers.values();
    await Promise.all(
      wires.map(async (wire) => {
        for (const n of next) {
          const input = { task: `task ${n}` };
          const answer = await wire.ask('POST', '/workflows/bench/runs', this.tokens.instance, { input });
          runs.set(n, (JSON.parse(good(answer).body) as { runId: string }).runId);
        }
      }),
    );
    for (const wire of wires) wire.close();
    const turnOf = (n: number) => this.harness.turns.get(`task ${n}`);
    while (!numbers.every((n) => turnOf(n) !== undefined)) await new Promise((resolve) => setTimeout(resolve, 10));
    // The last Admission is committed a moment after it was given.
    await new Promise((resolve) => setTimeout(resolve, 200));
    return numbers.map((n) => ({ runId: runs.get(n) as string, turn: turnOf(n) as Turn }));
  }

  async close(): Promise<void> {
    await this.subject.kill();
    this.harness.stop();
    removeFolder(this.folder);
  }
}
