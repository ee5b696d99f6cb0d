/** How a turn ends that does not end by itself, with the three real processes: by its bound, and by a cancel. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { scripted } from '../demo/story.ts';
import { ask, type Peer } from '../demo/wire.ts';
import { root, type Stage, stage } from './stage.ts';

let set: Stage | undefined;
afterEach(() => set?.clear());

interface Run {
  readonly status: string;
  readonly context: { readonly notes?: number; readonly fault?: { readonly code: string } };
  readonly executions: { readonly status: string; readonly category?: string }[];
}
interface History {
  readonly submissions: { readonly state: string; readonly settlement?: object }[];
}

/** A run of the kit's `flow`, whose agent does what these rules say. */
async function begun(rules: object[]) {
  set = await stage();
  const { cast, timeline } = set;
  const script = join(cast.folder, 'script.json');
  writeFileSync(script, JSON.stringify({ rules }));
  await cast.orchestrator({ TURNWIRE_WORKFLOWS: join(root, 'contract-tests/statecharts') });
  await cast.custodian();
  const model = await scripted(cast, timeline, script);
  await cast.harness(model);
  const people: Peer = { url: cast.url('orchestrator'), token: cast.instanceToken };
  const { body } = await ask<{ runId: string }>(people, 'POST', '/workflows/flow/runs', { input: { task: 'go' } });
  const { runId } = body;
  const at: Peer = { url: cast.url('harness'), token: cast.harnessToken };
  return {
    people,
    runId,
    view: async () => (await ask<Run>(people, 'GET', `/runs/${runId}`)).body,
    history: async () => (await ask<History>(at, 'GET', `/agents/coder/${runId}.coder.0?view=history`)).body,
    modelCalls: async () => {
      const url = new URL('/__requests', model.OPENAI_BASE_URL);
      return ((await (await fetch(url)).json()) as { items: object[] }).items.length;
    },
  };
}

async function until<T>(what: string, ms: number, look: () => Promise<T | undefined | false>): Promise<T> {
  const end = Date.now() + ms;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end) throw new Error(`waited ${ms} ms for ${what}: ${set?.text()}`);
    await sleep(100);
  }
}

describe('a turn that does not end by itself', { timeout: 300_000 }, () => {
  it('256 picks that each move the workflow are taken, the 257th is not made: the fault `runaway` (TW-TRN-011)', async () => {
    const { view, history } = await begun([{ reply: { toolCalls: [{ name: 'note' }] } }]);
    const ended = await until('the end', 240_000, async () => {
      const run = await view();
      return run.status !== 'active' && run;
    });
    expect(ended).toMatchObject({
      status: 'done',
      context: { notes: 256, fault: { code: 'runaway' } },
      executions: [{ status: 'failed' }],
    });
    expect((await history()).submissions).toMatchObject([{ settlement: { error: { code: 'runaway' } } }]);
  });

  it('a cancel really ends the work: the Submission is aborted while its model still thinks, and nothing is asked again', async () => {
    const { people, runId, view, history, modelCalls } = await begun([{ reply: { text: 'late', delayMs: 60_000 } }]);
    await until('the model to be asked', 60_000, async () => (await modelCalls()) === 1);
    expect((await history()).submissions).toMatchObject([{ state: 'running' }]);
    const cancelled = Date.now();
    expect((await ask(people, 'POST', `/runs/${runId}/cancel`, { reason: 'enough' })).status).toBe(200);
    expect(await view()).toMatchObject({ status: 'cancelled', executions: [{ status: 'cancelled' }] });
    const settled = await until('the abort', 5_000, async () => {
      const [submission] = (await history()).submissions;
      return submission?.state === 'settled' && submission;
    });
    expect(Date.now() - cancelled).toBeLessThan(5_000);
    expect(settled).toMatchObject({ settlement: { outcome: 'aborted' } });
    await sleep(500);
    expect([await modelCalls(), (await history()).submissions.length]).toEqual([1, 1]);
  });
});
