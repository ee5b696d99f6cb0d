import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Cast, type Engine } from '../demo/cast.ts';
import { Feed } from '../demo/feed.ts';
import { Timeline } from '../demo/timeline.ts';
import type { Peer } from '../demo/wire.ts';

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const script = fileURLToPath(new URL('../scripts/review.json', import.meta.url));
export const diffs = (name: string) => join(root, 'orchestrator/examples/diffs', name);

/** A cast in a folder of its own, its timeline kept as text for the message of a failed test. */
export interface Stage {
  readonly cast: Cast;
  readonly timeline: Timeline;
  readonly text: () => string;
  feed(peer: Peer): Feed;
  clear(): void;
}

export async function stage(engine: Engine = 'node'): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'turnwire-e2e-'));
  const lines: string[] = [];
  const timeline = new Timeline((line) => lines.push(line));
  const cast = await Cast.create(folder, (line) => timeline.log(line), engine);
  const feeds: Feed[] = [];
  return {
    cast,
    timeline,
    text: () => lines.join(''),
    feed(peer) {
      const feed = new Feed(peer, timeline);
      feeds.push(feed);
      return feed;
    },
    clear() {
      for (const feed of feeds) feed.close();
      cast.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
